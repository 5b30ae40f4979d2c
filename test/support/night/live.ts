import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { createCanarySeal } from '../../../shared/adapters/sight/canary-seal.ts';
import { startTimer } from '../../../shared/adapters/world.ts';
import { createDispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { handleWake, isWakeKind } from '../../../shared/app/due/handle-wake.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { CanarySender, Sender, Wake } from '../../../shared/app/ports.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { draftOf, senderTo } from '../handoff/receivers.ts';
import { success } from '../records/deliveries.ts';
import { createVirtualClock, withVirtualTimers } from '../simulation/clock.ts';
import { startTestApi } from '../world/api.ts';
import { frames } from '../world/frames.ts';
import { createRandom } from '../world/random.ts';
import { createTestWorld } from '../world/world.ts';
import type { Camera, Script, Team, Trouble } from './script.ts';

/** A message as its reader got it. `second`: of the night, when it left the house. */
export type Letter = { second: number; to: string; channel: 'sms' | 'email' | 'chat'; text: string };
/** A request to an endpoint or to the system of a hand-off. */
export type Call = { second: number; to: string; body: Record<string, unknown> };
/** What an operator did: the message that he answered by its link, or else in the console, and what he took there. */
export type Act = { second: number; by: string; answered: Letter; isByLink: boolean; listed: Listed[] };
/** Of the console's list: a camera with its code, or the name of an incident's place. */
export type Listed = { deviceId: string; code: string } | { placeKind: string; placeId: string };
/** Everything that left the house, and what people did. */
export type Lived = { letters: Letter[]; calls: Call[]; acts: Act[]; stats: Record<string, number> };

/** `answersAfter`: seconds after an SMS in which its reader answers; null: never. */
export type Given = { answersAfter: number | null };

const minute = 60_000;
const startsAt = '2026-11-20T18:50:00.000Z';
/** 20:00 in Stockholm. */
export const nightBegins = Date.parse('2026-11-20T19:00:00.000Z');
export const timeZone = 'Europe/Stockholm';
const seal = createCanarySeal(Buffer.alloc(32, 7));
const intake = { bridgeDialect: 'native', autoRegister: true, frames, canarySeal: seal } as const;
/** How often an operator looks at what came. */
const looksEach = 10_000;
const silentPeriod = 60;

/** Lets the service live through a night on a clock that jumps. Every wake, push and send takes 30 ms to 2 s. */
export async function liveThrough(script: Script, { answersAfter }: Given): Promise<Lived> {
  const random = createRandom(script.seed + 1000);
  const clock = createVirtualClock(startsAt);
  const latency = () => 30 + random.below(1970);
  const second = () => (clock.ms() - nightBegins) / 1000;
  const lived: Lived = { letters: [], calls: [], acts: [], stats: { messages: 0, wakes: 0, sweeps: 0, faults: 0 } };
  const count = (what: string) => {
    lived.stats[what] = (lived.stats[what] ?? 0) + 1;
  };
  const world = {
    ...createTestWorld(createMemoryStore(clock.ms)),
    now: clock.now,
    random: () => Math.random(),
    after: startTimer,
    consoleUrl: 'https://wp.night.test',
    waker: {
      async wake(wakes: readonly Wake[]) {
        for (const wake of wakes) schedule(wake);
      },
    },
  };
  /** Tries again as the platform does, until it succeeds. */
  const insistently = async (act: () => Promise<unknown>) => {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        await act();
        return;
      } catch (error) {
        count('faults');
        if (lived.stats['faults'] === 1) console.error('the first fault', error);
        await clock.sleep(Math.min(minute, 2000 * 2 ** attempt));
      }
    }
  };

  const people: Sender = {
    async send(delivery) {
      const { channel, targetName } = delivery;
      const letter = { second: second(), to: targetName, channel, text: textOf(channel, delivery.body) };
      await clock.sleep(latency());
      lived.letters.push(letter as Letter);
      return success;
    },
  };
  const endpoint: Sender = {
    async send({ body }, _attempt, hook) {
      const call = { second: second(), to: hook?.url ?? '', body: JSON.parse(body) };
      await clock.sleep(latency());
      lived.calls.push(call);
      return success;
    },
  };
  const handoff = senderTo(world.store, world.now, async ({ body, url }) => {
    const call = { second: second(), to: `${url}`, body: JSON.parse(`${body}`) };
    await clock.sleep(latency());
    lived.calls.push(call);
    return { statusCode: 202, excerpt: '{"status":"success"}', failure: null, retryAfter: undefined };
  });
  const senders = { email: people, chat: people, sms: people, webhook: endpoint, handoff };
  const dispatcher = createDispatcher(world, senders, clock.ms);

  const names = new Set<string>();
  const schedule = (wake: Wake) => {
    // The sweep of each minute rewrites the summaries as well.
    if (wake.in === 'fleetCounters') return;
    const name = `${wake.in}/${wake.id}/${wake.version}`;
    if (names.has(name)) return;
    names.add(name);
    const inMs = Math.max(0, Date.parse(wake.dueAt) - clock.ms());
    clock.after(inMs + latency(), () => {
      count('wakes');
      setTimeout(() => names.delete(name), 60 * minute);
      void insistently(async () => {
        if (wake.in === 'deliveries') await dispatcher.attempt(wake.id, wake.webhookId);
        else if (isWakeKind(wake.in)) await handleWake(world, wake.in, wake.id, false);
      });
    });
  };
  let messageId = 0;
  const publish = (attributes: Record<string, string>, body: object | string) => {
    messageId += 1;
    const data = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const message: Message = { messageId: String(messageId), publishTime: clock.now(), attributes, data };
    count('messages');
    return message;
  };
  const push = (message: Message) =>
    clock.after(latency(), () => void insistently(() => takeMessage(world, message, intake)));
  const says = (deviceId: string, kind: string, body: object) => push(publish({ deviceId, kind }, body));
  const canary = (attributes: Record<string, string>): CanarySender => ({
    send: async (_canary, body) => void push(publish(attributes, body)),
  });
  const canaries = {
    seal,
    senders: {
      ingest: canary({ 'watchpost-canary': 'ingest' }),
      broker: canary({ deviceId: 'watchpost', kind: 'canary' }),
    },
  };

  const api = await startTestApi(world, []);
  try {
    await setUp(api, script);
    await withVirtualTimers(clock, random.next, async () => {
      for (const { deviceId } of script.cameras) {
        const online = { status: 'online', connectedAt: clock.now() };
        await takeMessage(world, publish({ deviceId, kind: 'connection' }, online), intake);
      }
      await clock.runUntil(clock.ms() + 1000);
    });
    const after = (at: number, act: () => void) => clock.after(nightBegins + at * 1000 - clock.ms(), act);
    for (let at = Math.ceil(clock.ms() / minute) * minute; at < nightBegins + script.seconds * 1000; at += minute)
      clock.after(at - clock.ms() + latency(), () => {
        count('sweeps');
        void sweep(world, canaries).catch((error) => {
          count('faults');
          console.error('a sweep failed', error);
        });
      });
    for (const camera of script.cameras) live(camera, script, after, says);
    for (const trouble of script.troubles) suffer(trouble, after, says);
    await pass(script, clock.ms() + looksEach);
  } finally {
    await api.stop();
  }
  return lived;

  async function pass({ teams, seconds }: Script, from: number) {
    let read = 0;
    const due: Letter[] = [];
    const ends = nightBegins + seconds * 1000;
    for (let until = from; until <= ends; until += looksEach) {
      await withVirtualTimers(clock, random.next, () => clock.runUntil(until));
      for (; read < lived.letters.length; read += 1) due.push(lived.letters[read] as Letter);
      if (answersAfter === null) due.length = 0;
      while (due[0] && due[0].second + (answersAfter ?? 0) <= second()) {
        const letter = due.shift() as Letter;
        const team = letter.channel === 'sms' ? teams.find(({ phone }) => letter.to.includes(phone)) : undefined;
        if (team && isAsking(letter)) lived.acts.push(await answer(team, letter));
      }
    }
  }

  async function answer(team: Team, answered: Letter): Promise<Act> {
    const token = /\/t\/([\w-]{22})/.exec(answered.text)?.[1];
    const act: Act = { second: second(), by: team.name, answered, isByLink: token !== undefined, listed: [] };
    if (token) {
      // He presses the button, if the page still has one.
      const page = await (await api.fetch(new Request(`https://wp.night.test/t/${token}`))).text();
      if (!page.includes('<button')) return { ...act, isByLink: false };
      const { status } = await api.fetch(new Request(`https://wp.night.test/t/${token}`, { method: 'POST' }));
      return { ...act, isByLink: status === 200 };
    }
    const bearer = await api.issuer.token({ sub: team.name, groups: team.groups ?? '*' });
    const ask = (method: string, path: string) =>
      api.call(method, path, { token: bearer, body: method === 'POST' ? {} : undefined });
    for (const kind of ['incidents', 'alerts'] as const) {
      const { status: listed, body } = await ask('GET', `/v1/${kind}?status=active&status=escalated&pageSize=200`);
      if (listed !== 200) throw new Error(`the console cannot list ${kind}: ${listed} ${JSON.stringify(body)}`);
      for (const each of body[kind] as Record<string, unknown>[]) {
        const id = kind === 'incidents' ? each['incidentId'] : each['alertId'];
        // What belongs to an incident is taken with it.
        if (kind === 'alerts' && each['incidentId']) continue;
        if (!(each['availableActions'] as string[]).includes('acknowledge')) continue;
        const { status } = await ask('POST', `/v1/${kind}/${id}/acknowledge`);
        if (status !== 200) continue;
        const scope = each['scope'] as { kind: string; id: string } | undefined;
        act.listed.push(
          scope
            ? { placeKind: scope.kind, placeId: scope.id }
            : { deviceId: String(each['deviceId']), code: String(each['code']) },
        );
      }
    }
    return act;
  }
}

/** Nobody answers an end. */
function isAsking({ text }: Letter): boolean {
  return !/\bover\b|^OK\b|^CLOSED\b/.test(text);
}

function textOf(channel: string, body: string): string {
  return channel === 'sms' ? body : channel === 'email' ? `${JSON.parse(body).text}` : chatText(JSON.parse(body));
}

function chatText({ text, attachments = [] }: { text: string; attachments?: { text: string }[] }): string {
  return [text, ...attachments.map((each) => each.text)].join('\n');
}

type After = (second: number, act: () => void) => void;
type Says = (deviceId: string, kind: string, body: object) => void;

/** What a camera and its broker say about its connection. */
function live({ deviceId, isSilent, phase }: Camera, script: Script, after: After, says: Says) {
  const dark = script.dark.get(deviceId) ?? [];
  if (isSilent) {
    const isLit = (at: number) => !dark.some(({ from, to }) => from <= at && at < to);
    const report = (at: number) => {
      if (isLit(at)) says(deviceId, 'status', { memory: { usedPercent: 20 } });
      if (at + silentPeriod < script.seconds) after(at + silentPeriod, () => report(at + silentPeriod));
    };
    after(phase - 240, () => report(phase - 240));
    return;
  }
  for (const { from, to } of dark) {
    if (from < script.seconds) after(from, () => says(deviceId, 'connection', { status: 'offline' }));
    if (to < script.seconds) after(to, () => says(deviceId, 'connection', { status: 'online', connectedAt: iso(to) }));
  }
}

const bodies: Record<Trouble['kind'], [bad: object, good: object]> = {
  memory: [{ memory: { usedPercent: 93 } }, { memory: { usedPercent: 40 } }],
  storage: [{ storage: { freeMegabytes: 60 } }, { storage: { freeMegabytes: 900 } }],
  network: [{ mqtt: { latencyMs: 900 } }, { mqtt: { latencyMs: 20 } }],
  certificate: [{ certificate: { valid: false } }, { certificate: { valid: true } }],
  'sign-ins': [{ auth: { failedAttempts: 7 } }, { auth: { failedAttempts: 0 } }],
  broker: [{}, {}],
};

function suffer({ deviceId, kind, from, to }: Trouble, after: After, says: Says) {
  const [bad, good] = bodies[kind];
  after(from, () =>
    kind === 'broker'
      ? says(deviceId, 'event', {
          type: 'unauthorized_broker_attempt',
          timestamp: iso(from),
          attemptedHost: 'evil.example',
        })
      : says(deviceId, 'status', bad),
  );
  if (kind !== 'broker') after(to, () => says(deviceId, 'status', good));
}

function iso(second: number): string {
  return new Date(nightBegins + second * 1000).toISOString();
}

type Api = Awaited<ReturnType<typeof startTestApi>>;

/** Everything that people set before the night, by the calls of the API. */
async function setUp({ call, issuer }: Api, { cameras, places, teams, windows }: Script) {
  const token = await issuer.token();
  const put = async (method: string, path: string, body: object) => {
    const answer = await call(method, path, { token, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  for (const { name, phone, email, room, groups, isBehind } of teams) {
    const handoffs = groups === null && !isBehind ? { handoffs: [draftOf.pagerduty] } : {};
    const contacts = { phones: [phone], emails: [email], chats: [{ kind: 'slack', url: room }] };
    await put('PUT', `/v1/teams/${name}`, { ...contacts, ...handoffs });
    if (groups) {
      await put('POST', '/v1/rules', { name, condition: { code: '*', group: groups }, action: { team: name } });
    }
    if (isBehind) continue;
    const filter = groups ? { filter: { groups } } : {};
    const endpoint = {
      url: `https://${name}.hooks.example.com/`,
      events: ['alert', 'incident'],
      membersOfIncidents: false,
    };
    await put('POST', '/v1/webhooks', { ...endpoint, ...filter });
  }
  // What names a team comes after the teams.
  const settings = (await call('GET', '/v1/settings', { token })).body;
  await put('PUT', '/v1/settings', { ...settings, timeZone, escalationTeam: 'duty', reporting: { periodSeconds: 0 } });
  for (const { kind, id, name, groups, shared } of places) {
    if (kind === 'site' || shared || name !== id)
      await put('PUT', `/v1/places/${kind}/${id}`, { name, groups, shared });
  }
  for (let from = 0; from < cameras.length; from += 500) {
    const devices = cameras.slice(from, from + 500).map(({ deviceId, name, groupId, site, parents, isSilent }) => ({
      ...{ deviceId, name, groupId, site, parents },
      ...(isSilent ? { reporting: { periodSeconds: silentPeriod } } : {}),
    }));
    await put('PUT', '/v1/devices', { devices });
  }
  for (const { place, from, to } of windows) {
    const scope = { sites: [place] };
    await put('POST', '/v1/maintenance-windows', { name: 'Night work', scope, startsAt: iso(from), endsAt: iso(to) });
  }
}
