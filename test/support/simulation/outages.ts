import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { putPlace } from '../../../shared/app/places/places.ts';
import type { Kind, Write } from '../../../shared/app/ports.ts';
import { plus } from '../../../shared/domain/time.ts';
import { postOf } from '../notify/post.ts';
import { ana } from '../records/alerts.ts';
import { answerWakes, livingFleet } from '../world/living-fleet.ts';
import { incidentsOf } from '../world/places.ts';
import { createRandom } from '../world/random.ts';
import { openAlerts } from '../world/ways.ts';
import type { TestWorld } from '../world/world.ts';
import { customers, type Hung, type NoiseChange, sharedProvider, type TrueFault } from './topology.ts';

type Living = Awaited<ReturnType<typeof livingFleet>>;

/** What the operator was told of one fault. */
export type Outcome = {
  fault: TrueFault;
  scopes: string[];
  opened: number;
  ended: number;
  /** Cameras that nobody heard of: dark still when the others were back for eight minutes, or lost elsewhere while the fault lasted. */
  hidden: string[];
  securityTold: boolean;
};

/** Cameras that report on change only, so that a quiet minute of theirs costs nothing. */
export async function quietFleet(fleet: readonly Hung[]): Promise<Living> {
  const byId = new Map(fleet.map((hung) => [hung.deviceId, hung]));
  const living = await livingFleet([...byId.keys()], (deviceId) => byId.get(deviceId) as Hung);
  const { store } = living.world;
  const devices = await store.find({ in: 'devices', limit: 100_000 });
  for (const { id, data, revision } of devices) {
    const reporting = { periodSeconds: 0 };
    const patience = { silenceSeconds: null, lossSeconds: 300, periodSeconds: 0 };
    const quiet = { ...data, reporting, patience, silentAt: null, darkAt: null };
    await store.commit([{ kind: 'replace', in: 'devices', id, data: quiet, revision }]);
  }
  await store.commit([
    { kind: 'accrue', in: 'settings', id: 'settings', set: { reporting: { periodSeconds: 0 } }, add: {} },
    { kind: 'accrue', in: 'revisions', id: 'configuration', set: {}, add: { count: 1 } },
  ]);
  const shared = { name: 'Our provider', groups: customers, shared: true };
  await putPlace(living.world, { kind: 'provider', id: sharedProvider }, shared, null);
  return living;
}

/** What passes with its time to live, hours later. Without it a long run holds everything that ever was. */
export async function forget(world: TestWorld): Promise<void> {
  const kinds = ['alerts', 'audit', 'activity', 'incidentAudit', 'census', 'deliveries'] as const;
  for (const kind of kinds) await drop(world, kind);
}

async function drop({ store }: TestWorld, kind: Kind): Promise<void> {
  const found = await store.find({ in: kind, limit: 1_000_000 });
  // A message may wait for its turn.
  const lasts = (data: object) => ('isOpen' in data && data.isOpen) || ('status' in data && data.status === 'pending');
  const over = found.filter(({ data }) => !lasts(data));
  for (let from = 0; from < over.length; from += 500) {
    const some = over.slice(from, from + 500);
    await store.commit(some.map(({ id, revision }) => ({ kind: 'delete', in: kind, id, revision }) as Write));
  }
}

/** Takes the mails that have come. @returns their texts, each begun by its subject */
export function post(world: TestWorld): string[] {
  const { sent } = postOf(world);
  const texts = sent.flatMap(({ channel, text }) => (channel === 'email' ? [text] : []));
  sent.length = 0;
  return texts;
}

/** After this nothing that a change has begun goes on by itself, seconds. */
const settles = 15 * 60;

/** Days of noise. Minutes in which nothing happens, and nothing can, are passed over. @returns what people were told meanwhile */
export async function liveThrough({ world, ways }: Living, changes: readonly NoiseChange[]): Promise<string[]> {
  const told: string[] = [];
  const from = world.now();
  const passed = () => (Date.parse(world.now()) - Date.parse(from)) / 1000;
  let [next, last] = [0, 0];
  while (next < changes.length || passed() < last + settles) {
    const gap = (changes[next]?.at ?? 0) - passed();
    if (passed() > last + settles && gap > settles) world.pass(gap - 180);
    world.pass(60);
    for (; (changes[next]?.at ?? Number.POSITIVE_INFINITY) <= passed(); next += 1) {
      const { at, deviceId, does } = changes[next] as NoiseChange;
      last = at;
      const publishTime = plus(from, at * 1000);
      const memory = { usedPercent: does === 'strain' ? 93 : 20 };
      const said =
        does === 'lose'
          ? ({ kind: 'connection', body: { status: 'offline' } } as const)
          : does === 'connect'
            ? ({ kind: 'connection', body: { status: 'online', connectedAt: publishTime } } as const)
            : ({ kind: 'status', body: { memory } } as const);
      await ways.say(deviceId, said, publishTime);
    }
    await ways.sweep();
    await answerWakes(world);
    told.push(...post(world));
  }
  return told;
}

/** Resolves what noise or a fault leaves open, as somebody does the morning after. */
export async function tidyUp({ world, live }: Living): Promise<void> {
  for (const { alertId } of await openAlerts(world)) await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  await live(1, []);
  world.pass(3600);
  await live(2, []);
  post(world);
  await forget(world);
}

/** Plays one fault from its beginning to minutes after its end. `shuffle`: messages come twice and in any order. */
export async function play(living: Living, fault: TrueFault, shuffle: number | null): Promise<Outcome> {
  const { world, ways, live } = living;
  const known = new Set((await incidentsOf(world)).map(({ incidentId }) => incidentId));
  const random = createRandom(shuffle ?? 0);
  const inOrder = <T>(items: readonly T[]): T[] =>
    shuffle === null ? [...items] : random.shuffledWithin([...items, ...items], 2 * items.length);
  const failing = [...fault.cameras, ...fault.alone];
  const from = world.pass(1);
  // Power that fails leaves some a little longer than others.
  const losses = failing.map((deviceId, index) => ({ deviceId, at: plus(from, 20_000 * (index % 3)) }));
  world.pass(45);
  for (const { deviceId, at } of inOrder(losses.toSorted((a, b) => (a.at < b.at ? -1 : 1)))) {
    await ways.say(deviceId, { kind: 'connection', body: { status: 'offline' } }, at);
  }
  await live(9, []);
  const elsewhere = new Set(fault.alone);
  const swallowed = (await openAlerts(world)).filter(({ isFolded, deviceId }) => isFolded && elsewhere.has(deviceId));
  const stays = fault.cameras.length > 4 ? (fault.cameras[0] ?? '') : '';
  const attacked = fault.cameras[1] ?? fault.cameras[0] ?? '';
  await ways.say(attacked, {
    kind: 'event',
    body: { type: 'unauthorized_broker_attempt', timestamp: world.now(), attemptedHost: 'evil.example' },
  });
  await answerWakes(world);
  // Told while the place is dark, not with what is left of it.
  const early = post(world);
  for (const deviceId of inOrder(failing.filter((each) => each !== stays && each !== attacked))) {
    await ways.report(deviceId);
  }
  await ways.report(attacked);
  await live(8, []);
  const hidden = [...swallowed, ...(await openAlerts(world)).filter(({ isFolded }) => isFolded)];
  if (stays) await ways.report(stays);
  await live(3, []);
  const subjects = [...early, ...post(world)].map((text) => text.split('\n')[0] ?? '');
  const fresh = (await incidentsOf(world)).filter(({ incidentId }) => !known.has(incidentId));
  return {
    fault,
    scopes: fresh.map(({ scope }) => `${scope.kind} ${scope.id}`).toSorted(),
    opened: subjects.filter((line) => /^\[CRITICAL\] Outage [^:]* since \d/.test(line)).length,
    ended: subjects.filter((line) => /^\[CRITICAL\] Outage.*: over/.test(line)).length,
    hidden: hidden.map(({ deviceId }) => deviceId),
    securityTold: early.some((text) => text.includes('Unauthorized broker connection attempt')),
  };
}

/** How many of the scopes that were named are true, and how many of the true ones of five or more were named. */
export function judge(outcomes: readonly Outcome[]) {
  const isRight = ({ scopes, fault }: Outcome) => scopes.some((scope) => fault.names.includes(scope));
  const large = outcomes.filter(({ fault }) => fault.cameras.length >= 5);
  const right = outcomes.filter(isRight).length;
  const named = outcomes.reduce((sum, { scopes }) => sum + scopes.length, 0);
  return { precision: named === 0 ? 0 : right / named, recall: large.filter(isRight).length / large.length };
}
