import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { removeDevice } from '../../../../shared/app/devices/devices.ts';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import { handleWake } from '../../../../shared/app/due/handle-wake.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { getFleet } from '../../../../shared/app/fleet/fleet.ts';
import { sweepFleet } from '../../../../shared/app/fleet/summaries.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { getNow } from '../../../../shared/app/now/read.ts';
import type { Store, Wake } from '../../../../shared/app/ports.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { ana, giveTeam } from '../../../support/records/alerts.ts';
import { message } from '../../../support/records/reports.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createFaultyStore } from '../../../support/stores/faulty-store.ts';
import { createWays, intake } from '../../../support/world/ways.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const groups = ['north', 'south', 'west'];
const cameras = ['cam-1', 'cam-2', 'cam-3', 'cam-4'];
const severities = ['CRITICAL', 'ERROR', 'WARNING', 'INFO'];

/** Counts from all records, without using the code under test. */
async function fromScratch(store: Store, now: string, isOf: (groupId: string) => boolean) {
  const devices = (await store.find({ in: 'devices', limit: 10_000 })).filter(({ data }) => isOf(data.groupId));
  const alerts = (await store.find({ in: 'alerts', limit: 10_000 })).filter(({ data }) => isOf(data.groupId));
  const firstHour = Math.floor((Date.parse(now) - 86_400_000) / 3_600_000) * 3_600_000;
  const per = (isCounted: (alert: (typeof alerts)[number]['data']) => boolean) =>
    Object.fromEntries(
      severities.map((each) => [each, alerts.filter(({ data }) => data.severity === each && isCounted(data)).length]),
    );
  return {
    total: devices.length,
    offline: devices.filter(({ data }) => !data.isOnline).length,
    open: per(({ status }) => status !== 'resolved'),
    last24h: per(({ timestamp }) => Date.parse(timestamp) >= firstHour),
    recent: alerts
      .map(({ data }) => data)
      .toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp))
      .slice(0, 20)
      .map(({ timestamp, status }) => `${timestamp} ${status}`)
      .toSorted(),
  };
}

async function shown(world: TestWorld, of: string[] | null) {
  const { devices, alerts, recentAlerts } = await getFleet(world, { ...ana, groups: of });
  const recent = recentAlerts.map(({ timestamp, status }) => `${timestamp} ${status}`).toSorted();
  return { total: devices.total, offline: devices.offline, ...alerts, recent };
}

/** How many cameras each open code outside incidents has, from all records and as rows of what is wrong now say it. */
async function wrongFromScratch(store: Store, isOf: (groupId: string) => boolean) {
  const alerts = (await store.find({ in: 'alerts', limit: 10_000 })).map(({ data }) => data);
  const loud = alerts.filter(({ groupId, status, severity, isMember, snoozedUntil }) => {
    return isOf(groupId) && status !== 'resolved' && severity !== 'INFO' && !isMember && snoozedUntil === null;
  });
  const byCode = Map.groupBy(loud, ({ code }) => code);
  return Object.fromEntries([...byCode].map(([code, all]) => [code, all.length]));
}

async function wrongShown(world: TestWorld, of: string[] | null) {
  const counts: Record<string, number> = {};
  for (const { code, cameras } of (await getNow(world, { ...ana, groups: of }, {})).causes) {
    if (code !== null) counts[code] = (counts[code] ?? 0) + (cameras ?? 0);
  }
  return counts;
}

type Step =
  | { kind: 'report'; camera: string; memory: number; isTwice: boolean }
  | { kind: 'lose' | 'connect' | 'remove'; camera: string }
  | { kind: 'move'; camera: string; groupId: string }
  | { kind: 'act'; action: 'acknowledge' | 'resolve' | 'reopen' }
  | { kind: 'pass'; minutes: number }
  | { kind: 'fold' | 'sweep' };

const camera = fc.constantFrom(...cameras);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('report'),
      camera,
      memory: fc.constantFrom(20, 85, 95),
      isTwice: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('lose', 'connect', 'remove', 'remove'), camera }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move'), camera, groupId: fc.constantFrom(...groups) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('act'), action: fc.constantFrom('acknowledge', 'resolve', 'reopen') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass'), minutes: fc.constantFrom(1, 7, 60, 700) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('fold', 'sweep') }) },
);

/** Runs one step, with the duplicates that the platform may deliver. `number` makes message ids unique. */
async function act(world: TestWorld, given: Step, number: number): Promise<void> {
  const say = (kind: string, body: object, deviceId: string) =>
    takeMessage(world, message(kind, body, { deviceId, publishTime: world.now(), messageId: `${number}` }), intake);
  switch (given.kind) {
    case 'report': {
      const groupId = groups[cameras.indexOf(given.camera) % 2];
      const report = () => say('status', { groupId, memory: { usedPercent: given.memory } }, given.camera);
      await Promise.all(given.isTwice ? [report(), report()] : [report()]);
      return;
    }
    case 'lose':
      return say('connection', { status: 'offline' }, given.camera);
    case 'connect':
      return say('connection', { status: 'online', connectedAt: world.now() }, given.camera);
    case 'remove':
      return removeDevice(world, ana, given.camera);
    case 'move':
      await changeDevice(world, ana, given.camera, { groupId: given.groupId });
      return;
    case 'act': {
      const [alert] = (await world.store.find({ in: 'alerts', limit: 100 })).slice(number % 7);
      if (alert) await actOnAlert(world, ana, alert.id, { action: given.action } as never, null);
      return;
    }
    case 'pass':
      world.pass(given.minutes * 60);
      return;
    case 'fold':
      return handleWake(world, 'fleetCounters', '*', false);
    case 'sweep':
      await sweep(world);
      return;
    default:
      given satisfies never;
  }
}

test('after any changes, repeats, kills at any call, moves and removals, what a sweep wrote is what a count of all records gives', {
  timeout: 120_000,
}, async () => {
  const killed = fc.option(fc.record({ call: fc.integer({ min: 1, max: 12 }), isAfter: fc.boolean() }), { freq: 2 });
  const seen = { killed: 0, folded: 0, moved: 0, removed: 0, open: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, killed), { minLength: 10, maxLength: 40 }), async (steps) => {
      const store = createMemoryStore();
      let kill: { call: number; isAfter: boolean } | null = null;
      let calls = 0;
      const faulty = createFaultyStore(store, () => {
        calls += 1;
        if (kill === null || calls < kill.call) return null;
        const isHit = calls === kill.call;
        if (isHit) seen.killed += 1;
        // After it was killed, a process does nothing more.
        return { when: isHit && kill.isAfter ? 'after' : 'before', error: () => new Error('killed') };
      });
      const world = createTestWorld(faulty);
      for (const [number, [given, fault]] of steps.entries()) {
        // Every third step runs concurrently with the next one, unless that only advances the clock.
        const next = steps[number + 1]?.[0];
        kill = fault;
        calls = 0;
        const both = next && next.kind !== 'pass' && number % 3 === 0 ? [given, next] : [given];
        const ends = await Promise.allSettled(both.map((each) => act(world, each, number)));
        const isDone = ends.every(({ status }) => status === 'fulfilled');
        if (given.kind === 'move' && isDone) seen.moved += 1;
        if (given.kind === 'remove' && isDone) seen.removed += 1;
        if (given.kind === 'fold' && isDone) seen.folded += 1;
        world.pass(7);
      }
      kill = null;
      await sweep(world);
      const now = world.now();
      const expected = await fromScratch(store, now, () => true);
      seen.open += Object.values(expected.open).reduce((sum, count) => sum + count, 0);
      expect(await shown(world, null)).toEqual(expected);
      expect(await wrongShown(world, null)).toEqual(await wrongFromScratch(store, () => true));
      for (const of of [['north'], ['south', 'west'], [...groups, 'unassigned'], []]) {
        expect(await shown(world, of)).toEqual(await fromScratch(store, now, (groupId) => of.includes(groupId)));
        expect(await wrongShown(world, of)).toEqual(await wrongFromScratch(store, (groupId) => of.includes(groupId)));
      }
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 60) },
  );
  // Each kind of step must have happened often enough, otherwise the test proves nothing.
  for (const [name, count] of Object.entries(seen)) expect([name, count > 10]).toEqual([name, true]);
});

describe('the summaries of the fleet', () => {
  test('cost one read and a look for what was added since, for the fleet and for each group of a limited bearer, however large the fleet is', async () => {
    const { store, spent, reset } = countingStore(createMemoryStore());
    const world = createTestWorld(store);
    const ways = createWays(world);
    await ways.live(2, cameras, () => 'north');
    reset();
    await getFleet(world, ana);
    expect(spent).toMatchObject({ reads: 2, queries: 1 });
    reset();
    await getFleet(world, { ...ana, groups: ['north'] });
    expect(spent).toMatchObject({ reads: 4, queries: 2 });
  });

  test('follow a change within 5 s by one wake for all changes of a moment, and without a wake by the next sweep', async () => {
    const wakes: Wake[] = [];
    const test = createTestWorld();
    const world = { ...test, waker: { wake: async (more: readonly Wake[]) => void wakes.push(...more) } };
    const say = (deviceId: string, usedPercent: number) =>
      takeMessage(
        world,
        message('status', { memory: { usedPercent } }, { deviceId, publishTime: world.now() }),
        intake,
      );
    await sweep(world);
    const changedAt = Date.parse(world.now());
    for (const deviceId of cameras) await say(deviceId, 95);
    const mine = wakes.filter((wake) => wake.in === 'fleetCounters');
    expect(mine.length).toBeGreaterThanOrEqual(4);
    expect(new Set(mine.map(({ id, version, dueAt }) => `${id} ${version} ${dueAt}`)).size).toBe(1);
    const delay = Date.parse(mine[0]?.dueAt ?? '') - changedAt;
    expect([delay > 0, delay <= waitsAt(1).fleetSettles]).toEqual([true, true]);
    // Until then, readers are shown the summary with the pending counters added.
    const written = async () => (await world.store.get('fleetSummaries', ['*']))[0]?.data.counts['total'] ?? 0;
    expect([(await getFleet(world, ana)).devices.total, await written()]).toEqual([4, 0]);
    await handleWake(world, 'fleetCounters', '*', false);
    expect(await written()).toBe(4);
    expect(await getFleet(world, ana)).toMatchObject({ devices: { total: 4 }, alerts: { open: { ERROR: 4 } } });
    test.pass(60);
    await say('cam-1', 20);
    await sweep(world);
    expect((await getFleet(world, ana)).alerts.open.ERROR).toBe(3);
  });

  test('a report that changes nothing adds nothing and wakes nobody', async () => {
    const world = createTestWorld();
    const ways = createWays(world);
    await ways.live(3, cameras, () => 'north');
    for (let minute = 0; minute < 5; minute += 1) {
      world.pass(60);
      for (const each of cameras) await ways.report(each);
    }
    expect(await world.store.find({ in: 'fleetCounters', limit: 10 })).toEqual([]);
  });

  test('records of before there were summaries are counted, and one that somebody falsified is right a day later', async () => {
    const world = createTestWorld();
    const ways = createWays(world);
    await ways.live(2, cameras, () => 'north');
    for (const id of ['*', 'north']) {
      const [stored = null] = await world.store.get('fleetSummaries', [id]);
      if (!stored) throw new Error(`no summary ${id}`);
      await world.store.commit([{ kind: 'delete', in: 'fleetSummaries', id, revision: stored.revision }]);
    }
    await ways.report('cam-9', 'north');
    await sweepFleet(world);
    expect((await getFleet(world, ana)).devices.total).toBe(5);
    expect((await getFleet(world, { ...ana, groups: ['north'] })).devices.total).toBe(5);
    await world.store.commit([{ kind: 'patch', in: 'fleetSummaries', id: '*', set: { counts: { total: 99 } } }]);
    world.pass(86_400);
    await sweepFleet(world);
    expect((await getFleet(world, ana)).devices.total).toBe(5);
  });

  test('say within seconds whether anybody would be notified', async () => {
    const world = createTestWorld();
    await sweep(world);
    expect((await getFleet(world, ana)).reach).toEqual({ contacts: false });
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    await handleWake(world, 'fleetCounters', '*', false);
    expect((await getFleet(world, ana)).reach).toEqual({ contacts: true });
  });
});
