import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { putPlace } from '../../../shared/app/places/places.ts';
import type { Kind, Write } from '../../../shared/app/ports.ts';
import type { Device } from '../../../shared/domain/device/device.ts';
import { darkAtOf } from '../../../shared/domain/device/places.ts';
import { patienceOf, silentAtOf } from '../../../shared/domain/device/presence.ts';
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

/** What the operator was notified about one fault. */
export type Outcome = {
  fault: TrueFault;
  scopes: string[];
  opened: number;
  ended: number;
  /** Cameras whose loss was notified individually although they belong to the fault. */
  hasty: string[];
  /** Cameras whose alerts were hidden in an incident: still dark twelve minutes after the others returned, or lost elsewhere during the fault. */
  hidden: string[];
  securityNotified: boolean;
};

/** Makes cameras report with this period (0: only on change), as if each had just reported. This replaces days of simulated reports. */
async function reportEach({ store, waits, now }: TestWorld, deviceIds: readonly string[], periodSeconds: number) {
  const reporting = { periodSeconds };
  for (const [index, stored] of (await store.get('devices', deviceIds)).entries()) {
    if (!stored) continue;
    const { id, data, revision } = stored;
    // Within the last minute, at different seconds.
    const heardAt = periodSeconds === 0 ? data.lastSeenAt : plus(now(), -20_000 * (index % 3));
    const heard: Device = { ...data, reporting, lastSeenAt: heardAt, aliveAt: heardAt };
    const patient = { ...heard, patience: patienceOf(heard, { reporting }) };
    const [silentAt, darkAt] = [patient.isOnline ? silentAtOf(patient, waits) : null, darkAtOf(patient, waits)];
    const next: Device = { ...patient, silentAt, darkAt };
    await store.commit([{ kind: 'replace', in: 'devices', id, data: next, revision }]);
  }
}

/** Cameras that report only on change, so that a quiet minute costs nothing. */
export async function quietFleet(fleet: readonly Hung[]): Promise<Living> {
  const byId = new Map(fleet.map((hung) => [hung.deviceId, hung]));
  const living = await livingFleet([...byId.keys()], (deviceId) => byId.get(deviceId) as Hung);
  const { store } = living.world;
  await reportEach(living.world, [...byId.keys()], 0);
  await store.commit([
    { kind: 'accrue', in: 'settings', id: 'settings', set: { reporting: { periodSeconds: 0 } }, add: {} },
    { kind: 'accrue', in: 'revisions', id: 'configuration', set: {}, add: { count: 1 } },
  ]);
  const shared = { name: 'Our provider', groups: customers, shared: true };
  await putPlace(living.world, { kind: 'provider', id: sharedProvider }, shared, null);
  return living;
}

/** Deletes the records that expire some hours later, because a long run would keep them all. */
export async function forget(world: TestWorld): Promise<void> {
  const kinds = ['alerts', 'audit', 'activity', 'incidentAudit', 'deliveries', 'events'] as const;
  for (const kind of kinds) await drop(world, kind);
}

async function drop({ store }: TestWorld, kind: Kind): Promise<void> {
  const found = await store.find({ in: kind, limit: 1_000_000 });
  // A pending message may still be sent.
  const lasts = (data: object) => ('isOpen' in data && data.isOpen) || ('status' in data && data.status === 'pending');
  const over = found.filter(({ data }) => !lasts(data));
  for (let from = 0; from < over.length; from += 500) {
    const some = over.slice(from, from + 500);
    await store.commit(some.map(({ id, revision }) => ({ kind: 'delete', in: kind, id, revision }) as Write));
  }
}

/**
 * Removes the received mails.
 * @returns their texts, each after its subject
 */
export function post(world: TestWorld): string[] {
  const { sent } = postOf(world);
  const texts = sent.flatMap(({ channel, text }) => (channel === 'email' ? [text] : []));
  sent.length = 0;
  return texts;
}

/** No effect of a change is pending after this number of seconds. */
const settles = 15 * 60;

/**
 * Simulates days of noise. Minutes without possible events are skipped.
 * @returns the notifications of that time
 */
export async function liveThrough({ world, ways }: Living, changes: readonly NoiseChange[]): Promise<string[]> {
  const notified: string[] = [];
  const from = world.now();
  const passed = () => (Date.parse(world.now()) - Date.parse(from)) / 1000;
  let [next, last] = [0, 0];
  while (next < changes.length || passed() < last + settles) {
    const gap = (changes[next]?.at ?? 0) - passed();
    if (passed() > last + settles && gap > settles) {
      world.pass(gap - 180);
      await forget(world);
    }
    world.pass(60);
    for (; (changes[next]?.at ?? Number.POSITIVE_INFINITY) <= passed(); next += 1) {
      const { at, deviceId, does } = changes[next] as NoiseChange;
      last = at;
      if (does === 'vanish') await reportEach(world, [deviceId], 60);
      if (does === 'vanish') continue;
      const publishTime = plus(from, at * 1000);
      const memory = { usedPercent: does === 'strain' ? 93 : 20 };
      const said =
        does === 'lose'
          ? ({ kind: 'connection', body: { status: 'offline' } } as const)
          : does === 'connect'
            ? ({ kind: 'connection', body: { status: 'online', connectedAt: publishTime } } as const)
            : ({ kind: 'status', body: { memory } } as const);
      await ways.say(deviceId, said, publishTime);
      if (does === 'reappear') await reportEach(world, [deviceId], 0);
    }
    await ways.sweep();
    await answerWakes(world);
    notified.push(...post(world));
  }
  return notified;
}

/** Resolves what noise or a fault leaves open, as a person would the next morning. */
export async function tidyUp({ world, live }: Living): Promise<void> {
  for (const { alertId } of await openAlerts(world)) await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
  await live(1, []);
  world.pass(3600);
  await live(2, []);
  post(world);
  await forget(world);
}

/** Plays one fault from its beginning to some minutes after its end. `shuffle`: a seed; messages then come twice and in any order. */
export async function play(living: Living, fault: TrueFault, shuffle: number | null): Promise<Outcome> {
  const { world, ways, live } = living;
  const known = new Set((await incidentsOf(world)).map(({ incidentId }) => incidentId));
  const random = createRandom(shuffle ?? 0);
  const inOrder = <T>(items: readonly T[]): T[] =>
    shuffle === null ? [...items] : random.shuffledWithin([...items, ...items], 2 * items.length);
  const silent = new Set(fault.silent);
  const failing = [...fault.cameras, ...fault.alone];
  const from = world.pass(1);
  await reportEach(world, fault.silent, 60);
  // After a power failure some cameras go dark slightly later than others.
  const losses = failing
    .filter((deviceId) => !silent.has(deviceId))
    .map((deviceId, index) => ({ deviceId, at: plus(from, 20_000 * (index % 3)) }));
  world.pass(45);
  for (const { deviceId, at } of inOrder(losses.toSorted((a, b) => (a.at < b.at ? -1 : 1)))) {
    await ways.say(deviceId, { kind: 'connection', body: { status: 'offline' } }, at);
  }
  // Silence is declared only after two more reports and the resolution of sightings.
  await live(silent.size > 0 ? 14 : 9, []);
  const elsewhere = new Set(fault.alone);
  const swallowed = (await openAlerts(world)).filter(({ isMember, deviceId }) => isMember && elsewhere.has(deviceId));
  const stays = fault.cameras.length > 4 ? (fault.cameras[0] ?? '') : '';
  const attacked = fault.cameras[1] ?? fault.cameras[0] ?? '';
  await ways.say(attacked, {
    kind: 'event',
    body: { type: 'unauthorized_broker_attempt', timestamp: world.now(), attemptedHost: 'evil.example' },
  });
  await answerWakes(world);
  const hasty = await hastyOf(living, fault);
  // Messages from the time when the place was dark, without later ones.
  const early = post(world);
  for (const deviceId of inOrder(failing.filter((each) => each !== stays && each !== attacked))) {
    await ways.report(deviceId);
  }
  await ways.report(attacked);
  await reportEach(
    world,
    fault.silent.filter((each) => each !== stays),
    0,
  );
  await live(12, []);
  const hidden = [...swallowed, ...(await openAlerts(world)).filter(({ isMember }) => isMember)];
  if (stays) await ways.report(stays);
  if (silent.has(stays)) await reportEach(world, [stays], 0);
  await live(3, []);
  const subjects = [...early, ...post(world)].map((text) => text.split('\n')[0] ?? '');
  const fresh = (await incidentsOf(world)).filter(({ incidentId }) => !known.has(incidentId));
  return {
    fault,
    scopes: fresh.map(({ scope }) => `${scope.kind} ${scope.id}`).toSorted(),
    opened: subjects.filter((line) => /^\[CRITICAL\] Outage [^:]* since \d/.test(line)).length,
    ended: subjects.filter((line) => /^\[CRITICAL\] Outage.*: over/.test(line)).length,
    hasty,
    hidden: hidden.map(({ deviceId }) => deviceId),
    securityNotified: early.some((text) => text.includes('Unauthorized broker connection attempt')),
  };
}

/** Cameras whose loss was notified individually although they belonged to the fault. */
async function hastyOf({ world }: Living, fault: TrueFault): Promise<string[]> {
  const notified = new Map(
    postOf(world).sent.flatMap(({ at, channel, text }) => {
      const [, deviceId] = channel === 'email' ? (/^\[CRITICAL\] (?:.* \/ )?(\S+) offline since/.exec(text) ?? []) : [];
      return deviceId ? [[deviceId, at] as const] : [];
    }),
  );
  const members = new Set(fault.scopes.length > 0 ? fault.cameras : []);
  const alerts = (await openAlerts(world)).filter(
    ({ code, deviceId }) => code === 'CONN_001' && notified.has(deviceId),
  );
  return alerts.filter(({ deviceId }) => members.has(deviceId)).map(({ deviceId }) => deviceId);
}

/** The share of named scopes that are true, and the share of true scopes of five or more cameras that were named. */
export function judge(outcomes: readonly Outcome[]) {
  const isNamed = ({ scopes }: Outcome, { names }: TrueFault['scopes'][number]) =>
    scopes.some((scope) => names.includes(scope));
  const truths = outcomes.flatMap((outcome) => outcome.fault.scopes.map((scope) => ({ outcome, scope })));
  const large = truths.filter(({ scope }) => scope.size >= 5);
  const found = (of: typeof truths) => of.filter(({ outcome, scope }) => isNamed(outcome, scope)).length;
  const named = outcomes.reduce((sum, { scopes }) => sum + scopes.length, 0);
  return { precision: named === 0 ? 0 : found(truths) / named, recall: found(large) / large.length };
}

/** The promised values that were not reached. */
export function brokenBy(outcomes: readonly Outcome[]): string[] {
  const { precision, recall } = judge(outcomes);
  const rows: Record<string, boolean> = {
    precision: precision < 0.98,
    recall: recall < 0.95,
    doubled: doubledOf(outcomes).length > 0,
    hasty: outcomes.some(({ hasty }) => hasty.length > 0),
    hidden: outcomes.some(({ hidden }) => hidden.length > 0),
    groupedSecurity: outcomes.some(({ securityNotified }) => !securityNotified),
  };
  return Object.keys(rows).filter((row) => rows[row]);
}

/** Faults of large places without exactly one notified beginning and end for each place. */
function doubledOf(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ fault: { scopes }, opened, ended }) => {
    const isLarge = scopes.length > 0 && scopes.every(({ size }) => size >= 5);
    return isLarge && (opened !== scopes.length || ended !== scopes.length);
  });
}
