import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { newToken, startTimer } from '../../../shared/adapters/world.ts';
import { actOnAlert, getAlert } from '../../../shared/app/alerts/actions.ts';
import type { Senders } from '../../../shared/app/deliveries/attempt.ts';
import { createDispatcher, type Dispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { getDevice } from '../../../shared/app/devices/devices.ts';
import { handleWake } from '../../../shared/app/due/handle-wake.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { isDueKind } from '../../../shared/app/due/table.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Sender, Store, Wake, Waker, World } from '../../../shared/app/ports.ts';
import type { Canaries } from '../../../shared/app/sight/send-canaries.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { waitsAt } from '../../../shared/domain/limits.ts';
import type { HandoffDraft } from '../../../shared/schema/settings/handoff.ts';
import { ana, giveRule, giveTeam } from '../records/alerts.ts';
import { frames } from '../world/frames.ts';
import { createRandom } from '../world/random.ts';
import { startOfTests } from '../world/world.ts';
import { createVirtualClock, type VirtualClock, withVirtualTimers } from './clock.ts';
import { createPubSub, createTasks, type Publication } from './cloud.ts';
import { callIn, createInstance, type Instance, kill, type Random, type Weather } from './instances.ts';
import { type Act, type Action, operate } from './operator.ts';
import { createReceivers, endpoints, type Request } from './receivers.ts';
import { canariesUnder, publishedAt, type Sky, seal, skyOf } from './sky.ts';
import { type Saying, type Story, tellStory } from './story.ts';
import { type Horizon, type Sample, watchHorizon } from './watched.ts';

/** The use cases as the edges call them. A test may replace one of them by a faulty one. */
export type Service = {
  take(world: World, message: Message): Promise<void>;
  due(world: World, wake: Wake): Promise<void>;
  sweep(world: World, canaries: Canaries): Promise<void>;
  dispatcherFor(world: World, senders: Senders, elapsedMs: () => number): Dispatcher;
  act(world: World, ...given: Parameters<Act>): Promise<unknown>;
  look(world: World, deviceId: string): Promise<{ state: string }>;
};

const intake = { bridgeDialect: 'native', autoRegister: true, frames, canarySeal: seal } as const;

export const service: Service = {
  take: (world, message) => takeMessage(world, message, intake),
  async due(world, wake) {
    if (isDueKind(wake.in)) await handleWake(world, wake.in, wake.id, false);
  },
  async sweep(world, canaries) {
    await sweep(world, canaries);
  },
  dispatcherFor: createDispatcher,
  act: (world, alertId, command, ifVersion) => actOnAlert(world, ana, alertId, command, ifVersion),
  look: (world, deviceId) => getDevice(world, ana, deviceId),
};

export type Sent = Saying & { messageId: string; publication: Publication };
/** Everything that was sent and seen, for the checker. */
export type Run = {
  seed: number;
  weather: Weather;
  story: Story;
  sent: Sent[];
  actions: Action[];
  requests: Request[];
  kills: number;
  store: Store;
  endedAt: number;
  sky: Sky;
  /** The horizon that each sweep recorded, oldest first. */
  horizons: Horizon[];
  /** Answers of the API about devices. */
  samples: Sample[];
};

export type Given = {
  seed: number;
  events: number;
  sky?: Sky;
  service?: Service;
  waker?: (waker: Waker) => Waker;
  /** Hand-offs of `operations`, their sender in each process, and the end of the bad weather. */
  handoffs?: {
    drafts: HandoffDraft[];
    sender: (instance: Instance, clock: VirtualClock, random: Random, calmFrom: number) => Sender;
  };
  trace?: (line: string) => void;
};

const minute = 60_000;
const actionShare = 0.1;
const sampleEvery = 2 * minute;

/** Simulates one story of a fleet, first with many faults, then without. The same seed gives the same run. */
export async function simulate(given: Given): Promise<Run> {
  const random = createRandom(given.seed);
  const clock = createVirtualClock();
  return withVirtualTimers(clock, random.next, async () => {
    const horizons: Horizon[] = [];
    const store = watchHorizon(createMemoryStore(), horizons, clock.ms);
    await configure(store, given.handoffs?.drafts ?? []);
    const actionCount = Math.round(given.events * actionShare);
    const story = tellStory(random, clock.ms() + minute, given.events - actionCount);
    const weather = weatherOf(random, story);
    const sky = given.sky ?? skyOf(random, story);
    const { trace: notifiedTargets } = given;
    const trace = notifiedTargets && ((line: string) => notifiedTargets(`${clock.now().slice(11)} ${line}`));
    const run: Run = {
      seed: given.seed,
      weather,
      story,
      sent: [],
      actions: [],
      requests: [],
      kills: 0,
      store,
      endedAt: 0,
      sky,
      horizons,
      samples: [],
    };
    const { handoffs = null } = given;
    const parts = { clock, random, weather, sky, store, run, trace, handoffs, service: given.service ?? service };
    const fleet = createFleet(parts, given.waker ?? ((waker) => waker));
    for (const saying of story.sayings) clock.after(saying.at - clock.ms(), () => fleet.say(saying));
    for (let at = story.from; at < story.settledAt; at += sampleEvery) {
      clock.after(at - clock.ms(), () => void fleet.look(random.pick(story.cameras).deviceId));
    }
    for (let n = 0; n < actionCount; n += 1) {
      clock.after(story.from - clock.ms() + random.below(story.endsAt - story.from), () => void fleet.operate(n));
    }
    await clock.runUntil(story.settledAt);
    run.endedAt = clock.ms();
    return run;
  });
}

/** Stores endpoints of every behaviour, contacts, a rule that escalates and one that suppresses. */
async function configure(store: Store, handoffs: HandoffDraft[]): Promise<void> {
  const world: World = {
    store,
    waker: { wake: async () => {} },
    log: silent,
    now: () => startOfTests,
    random: () => Math.random(),
    after: startTimer,
    waits: waitsAt(1),
    consoleUrl: '',
    reportedGroups: 'trust',
    unsignedHeals: 'accept',
    newToken,
  };
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], ...(handoffs.length > 0 ? { handoffs } : {}) });
  await giveTeam(world, 'night', { emails: ['night@example.com'] });
  await giveRule(world, {
    name: 'loud',
    condition: { code: 'CONN_001', group: ['north'] },
    action: { escalate_to: 'night' },
  });
  await giveRule(world, {
    name: 'quiet',
    condition: { code: 'RES_003', group: ['south'] },
    action: { suppress: true },
  });
  await store.commit(endpoints.map((data) => ({ kind: 'create', in: 'webhooks', id: data.webhookId, data })));
}

const silent = { info() {}, warn() {}, error() {} };

/** Each run has its own mix of mild and severe faults. */
function weatherOf(random: Random, { from, endsAt }: Story): Weather {
  const outages = Array.from({ length: random.below(4) }, () => {
    const start = from + random.below(endsAt - from);
    return { from: start, until: start + 5000 + random.below(85_000) };
  });
  return {
    storeFaults: random.pick([0, 0.005, 0.02, 0.05]),
    outages,
    killEvery: random.pick([1, 3, 10, 1000]) * minute,
    wakeFaults: random.pick([0, 0.02, 0.1, 0.3]),
    copies: random.pick([0, 0.1, 0.3]),
    onTheWay: random.pick([1000, 20_000, 60_000]),
    calmFrom: endsAt + 60 * minute,
  };
}

type Parts = {
  clock: ReturnType<typeof createVirtualClock>;
  random: Random;
  weather: Weather;
  sky: Sky;
  store: Store;
  run: Run;
  /** Undefined if nobody listens; then lines are not built. */
  trace: ((line: string) => void) | undefined;
  service: Service;
  handoffs: Given['handoffs'] | null;
};

type Role = 'ingest' | 'deadline' | 'deliver' | 'api';
type Process = Instance & { dispatcher: Dispatcher };

/** The functions, two processes of each, with the platform's faults. */
function createFleet(parts: Parts, wrap: (waker: Waker) => Waker) {
  const { clock, random, weather, sky, store, run, trace, service: made } = parts;
  const receivers = createReceivers(clock, random, { from: run.story.from, until: weather.calmFrom });
  run.requests = receivers.requests;
  const pubSub = createPubSub(parts);
  const tasks = wrap(createTasks(parts, (wake) => ring(wake)));
  const start = (): Process => {
    const instance = createInstance({ store, waker: tasks, clock, random, weather });
    const handoff = parts.handoffs?.sender(instance, clock, random, weather.calmFrom);
    const senders = { ...receivers.sendersOf(instance), ...(handoff ? { handoff } : {}) };
    const dispatcher = made.dispatcherFor(instance.world, senders, clock.ms);
    return Object.assign(instance, { dispatcher });
  };
  const processes: Record<Role, Process[]> = {
    ingest: [start(), start()],
    deadline: [start(), start()],
    deliver: [start(), start()],
    api: [start(), start()],
  };
  const call = async <T>(role: Role, what: string, act: (process: Process) => Promise<T>): Promise<T> => {
    const process = random.pick(processes[role]);
    try {
      const answer = await callIn(process, () => act(process));
      trace?.(`${what}: done`);
      return answer;
    } catch (error) {
      trace?.(`${what}: ${error}`);
      throw error;
    }
  };
  const ring = async (wake: Wake) => {
    const what = `wake ${wake.in} ${wake.id}`;
    if (wake.in !== 'deliveries') return call('deadline', what, ({ world }) => made.due(world, wake));
    await call('deliver', what, async (process) => {
      const result = await process.dispatcher.attempt(wake.id, wake.webhookId);
      receivers.settle(wake.id, process, result);
    });
  };
  const publish = (message: Message) =>
    pubSub.publish(() => call('ingest', `message ${message.messageId}`, ({ world }) => made.take(world, message)));
  const canaries = canariesUnder(sky, clock, publish);
  const every = (ms: () => number, act: () => void) => {
    const again = () => {
      act();
      clock.after(ms(), again);
    };
    clock.after(ms(), again);
  };
  every(
    () => minute,
    () => {
      const isStormy = clock.ms() < weather.calmFrom;
      if (isStormy && random.chance(weather.wakeFaults)) return;
      const times = isStormy && random.chance(weather.wakeFaults) ? 2 : 1;
      for (let n = 0; n < times; n += 1)
        void call('deadline', 'sweep', ({ world }) => made.sweep(world, canaries)).catch(() => {});
    },
  );
  every(
    () => weather.killEvery * -Math.log(1 - random.next()),
    () => {
      if (clock.ms() >= weather.calmFrom) return;
      const role = random.pick(['ingest', 'deadline', 'deliver', 'api'] as const);
      const index = random.below(2);
      trace?.(`kill ${role}`);
      kill(processes[role][index] as Process);
      processes[role][index] = start();
      run.kills += 1;
    },
  );
  clock.after(run.story.endsAt - clock.ms(), () => void switchOff(store, 'dead'));
  return {
    say(saying: Saying): void {
      const at = publishedAt(sky, clock.ms());
      if (at === null) return trace?.(`${saying.deviceId} says ${saying.kind} to nobody`);
      const { deviceId, kind, body, isRetained = false } = saying;
      const attributes = { deviceId, kind, ...(isRetained ? { retained: 'true' } : {}) };
      const data = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      clock.after(at - clock.ms(), () => {
        const messageId = String(run.sent.length + 1);
        trace?.(`${deviceId} says ${kind} ${messageId} ${data}`);
        const publication = publish({ messageId, publishTime: clock.now(), attributes, data });
        run.sent.push({ ...saying, at: clock.ms(), messageId, publication });
      });
    },
    /** Reads a device as a viewer would. */
    async look(deviceId: string): Promise<void> {
      const from = clock.ms();
      const device = await call('api', 'look', ({ world }) => made.look(world, deviceId)).catch(() => null);
      if (device) run.samples.push({ deviceId, from, until: clock.ms(), state: device.state });
    },
    async operate(number: number): Promise<void> {
      const known = receivers.alertIds.slice(-200);
      if (known.length === 0) return;
      const alertId = random.pick(known);
      const act: Act = (...given) => call('api', `action ${number}`, ({ world }) => made.act(world, ...given));
      const versionOf = (id: string) =>
        call('api', 'read', async ({ world }) => (await getAlert(world, ana, id)).version);
      run.actions.push(await operate(parts, number, alertId, versionOf, act));
    },
  };
}

/** Disables an endpoint as a person would. */
async function switchOff(store: Store, name: string): Promise<void> {
  const id = endpoints.find(({ url }) => url.includes(`//${name}.`))?.webhookId ?? '';
  const [[stored = null], [revision = null]] = await Promise.all([
    store.get('webhooks', [id]),
    store.get('revisions', ['configuration']),
  ]);
  if (!stored || !revision) throw new Error(`no endpoint ${name}`);
  const data = { ...stored.data, isEnabled: false, version: stored.data.version + 1 };
  await store.commit([
    { kind: 'replace', in: 'webhooks', id, data, revision: stored.revision },
    { kind: 'patch', in: 'revisions', id: 'configuration', set: {}, add: { count: 1 } },
  ]);
}
