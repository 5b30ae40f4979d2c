import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { queueOf } from '../../shared/adapters/tasks/tasks.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { handleWake, isWakeKind } from '../../shared/app/due/handle-wake.ts';
import { getFleet } from '../../shared/app/fleet/fleet.ts';
import type { Store, Wake, Write } from '../../shared/app/ports.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import { ana } from '../support/records/alerts.ts';
import { endpoint, success } from '../support/records/deliveries.ts';
import { createVirtualClock } from '../support/simulation/clock.ts';
import { aroundCalls } from '../support/stores/around-calls.ts';
import { createMeter, limits, type Meter, type Peak } from '../support/walls/meter.ts';
import { createWays } from '../support/world/ways.ts';
import { createTestWorld, type TestWorld } from '../support/world/world.ts';
import { type Bench, type Row, rowOf, type Size } from './frame/row.ts';

/**
 * Cameras and minutes of the steady state, and cameras of the storms that are played in full, the smallest first. The load of a larger fleet
 * is the measured load times a factor.
 */
const sizes: Record<Size, { steady: number; minutes: number; storms: number[] }> = {
  tiny: { steady: 60, minutes: 3, storms: [60] },
  quick: { steady: 1000, minutes: 10, storms: [2000] },
  full: { steady: 10_000, minutes: 20, storms: [20_000, 200_000] },
};
const fleets = [20_000, 200_000, 1_000_000];
/** Cameras of a group, and the numbers of queues in `terraform/variables.tf`. */
const ofGroup = 500;
const queues = { deadlineQueues: 4, deliveryQueues: 32 };
/** One report in this many makes a condition hold: ten a month for each camera. */
const reportsPerCondition = 4300;
const minute = 60_000;
/** Duration of a call of the store in the cloud, milliseconds. */
const callMs = 20;

/** P16: the load of fleets on the limits of the platform, in the steady state and when 30 % of the cameras are lost within a minute. N8: tasks of that loss. */
export const measure: Bench = async ({ size }) => {
  const { steady, minutes, storms } = sizes[size];
  const usual = await playSteady(steady, minutes);
  const played = new Map<number, Storm>();
  for (const cameras of storms) played.set(cameras, await playStorm(cameras));
  const walls = fleets.map((fleet) => {
    const nearest = storms.findLast((cameras) => cameras <= fleet) ?? storms[0] ?? 0;
    return wallRow(fleet, { usual, times: fleet / steady }, played.get(nearest), fleet / nearest);
  });
  return [...[...played.values()].flatMap(taskRows), ...walls];
};

function wallRow(
  fleet: number,
  steady: { usual: Meter; times: number },
  storm: Storm | undefined,
  stormTimes: number,
): Row {
  if (!storm) throw new Error('no storm was played');
  const peaks = [
    ...named('steady', steady.usual.peaks(steady.times)),
    ...named('loss', storm.notified.peaks(stormTimes)),
    // Not scaled: the shards work at a constant rate, so a larger loss only takes longer.
    ...named('after the loss', storm.handled.peaks()),
  ].toSorted((a, b) => b.share - a.share);
  const [first] = peaks;
  if (!first) throw new Error('nothing was measured');
  const how =
    stormTimes === 1 ? 'the loss played in full' : `the loss of ${storm.cameras} cameras, times ${stormTimes}`;
  const crossed = peaks.filter(({ share }) => share > 1);
  const words = (crossed.length > 0 ? crossed : [first]).map(inWords).join('; ');
  const after =
    stormTimes === 1 ? `; every lost camera has its alert after ${(storm.seconds / 60).toFixed(1)} min` : '';
  return rowOf({
    id: 'P16',
    what: `${fleet.toLocaleString('en-US')} cameras: the nearest limit, as a share of it`,
    unit: '',
    ours: first.share,
    goal: 1,
    note: `${crossed.length === 0 ? 'no limit crossed; nearest' : `${crossed.length} crossed`}: ${words}; ${how}${after}`,
  });
}

function taskRows({ cameras, created, seconds }: Storm): Row[] {
  if (created.inMinute === 0) throw new Error('the loss created no task');
  const lost = Math.round(0.3 * cameras);
  const row = (when: string, ours: number, goal: number) =>
    rowOf({
      id: 'N8',
      what: `tasks created ${when} a loss of ${lost.toLocaleString('en-US')} of ${cameras.toLocaleString('en-US')} cameras`,
      unit: '',
      ours,
      goal,
      note: `every lost camera has its alert after ${(seconds / 60).toFixed(1)} min`,
    });
  return [
    row('in the minute of', created.inMinute, 100),
    row('until all is told of', created.untilTold, cameras > 20_000 ? 3000 : 600),
  ];
}

type Named = Peak & { when: string };

function named(when: string, peaks: readonly Peak[]): Named[] {
  return peaks.map((peak) => ({ ...peak, when }));
}

function inWords({ wall, name, rate, when }: Named): string {
  const { most, unit } = limits[wall];
  return `${wall} ${name}, ${when}: ${rate.toFixed(rate < 10 ? 2 : 0)} of ${most} ${unit}`;
}

/** A world on a virtual clock, with the queues of the platform. A meter, which can be replaced, counts its commits and queued calls. */
function meteredWorld() {
  const clock = createVirtualClock();
  const inner = createMemoryStore();
  const on: { meter: Meter } = { meter: createMeter(clock.now) };
  const store: Store = { ...inner, commit: (writes) => on.meter.metered(inner).commit(writes) };
  const faults: unknown[] = [];
  const after: TestWorld['after'] = (ms, call) => {
    const wake = clock.after(ms, call);
    return { stop: () => (wake.ring = () => {}) };
  };
  const waker = {
    async wake(wakes: readonly Wake[]) {
      for (const wake of wakes) {
        const queue = queueOf(wake, queues);
        const key = `${wake.in} ${wake.id} ${wake.version}`;
        if (taken.has(key)) continue;
        taken.add(key);
        on.meter.dispatch(queue, wake);
        clock.after(
          Math.max(0, Date.parse(wake.dueAt) - clock.ms()),
          () => void call(wake).catch((error) => faults.push(error)),
        );
      }
    },
  };
  const taken = new Set<string>();
  const world: TestWorld = { ...createTestWorld(store), now: clock.now, after, waker };
  /** The function `deadline` makes many concurrent calls, so here each call of the store takes the time of the network. */
  const deadline: TestWorld = { ...world, store: aroundCalls(store, (_, act) => clock.sleep(callMs).then(act)) };
  const dispatcher = createDispatcher(world, { webhook: { send: async () => success } }, clock.ms);
  const call = async (wake: Wake) => {
    if (wake.in === 'deliveries') await dispatcher.attempt(wake.id, wake.webhookId);
    else if (isWakeKind(wake.in)) await handleWake(deadline, wake.in, wake.id, false);
  };
  return { clock, inner, on, world, faults, taken, ways: createWays(world), deadline: createWays(deadline) };
}

type Metered = ReturnType<typeof meteredWorld>;

/** Creates cameras that have reported before the meter starts, and an endpoint for each group. @returns the ids of the cameras */
async function fleetOf({ inner, ways, clock, world }: Metered, cameras: number): Promise<string[]> {
  await clock.runUntil(clock.ms() + minute);
  await ways.report('model', 'g-0');
  await clock.runUntil(clock.ms() + minute);
  await ways.report('model', 'g-0');
  const [model = null] = await inner.get('devices', ['model']);
  if (!model) throw new Error('there is no camera');
  const ids = Array.from({ length: cameras }, (_, index) => `cam-${index}`);
  const silentAt = new Date(clock.ms() + 24 * 60 * minute).toISOString();
  const groups = Math.max(1, Math.round(cameras / ofGroup));
  const made = ids.map((id, index): Write => {
    const groupId = `g-${index % groups}`;
    const data = {
      ...model.data,
      deviceId: id,
      name: id,
      groupId,
      silentAt,
      shard: shardOf(id),
      places: [`group:${groupId}`],
    };
    return { kind: 'create', in: 'devices', id, data };
  });
  const hooks = Array.from({ length: Math.min(400, groups) }, (_, index): Write => {
    const webhookId = `00000000-0000-4000-9000-${String(index).padStart(12, '0')}`;
    const data = endpoint({ webhookId, events: ['alert'], filter: { groups: [`g-${index}`] } });
    return { kind: 'create', in: 'webhooks', id: webhookId, data };
  });
  const all = [...made, ...hooks];
  for (let from = 0; from < all.length; from += 400) await inner.commit(all.slice(from, from + 400));
  await inner.commit([{ kind: 'accrue', in: 'revisions', id: 'configuration', set: {}, add: { count: 1 } }]);
  // The service did not count the cameras that were written directly. Without its summaries it counts all of them again.
  for (const { id, revision } of await inner.find({ in: 'fleetSummaries', limit: cameras })) {
    await inner.commit([{ kind: 'delete', in: 'fleetSummaries', id, revision }]);
  }
  for (let count = 0; count < 4; count += 1) {
    await clock.runUntil(clock.ms() + minute);
    await ways.sweep();
  }
  if ((await getFleet(world, ana)).devices.total !== cameras + 1) throw new Error('the fleet is not counted');
  return ids;
}

/** Every camera reports once a minute, each at its own second, with a sweep each minute. */
async function playSteady(cameras: number, minutes: number): Promise<Meter> {
  const played = meteredWorld();
  const { clock, on, ways, world, faults } = played;
  const ids = await fleetOf(played, cameras);
  const meter = createMeter(clock.now);
  let reports = 0;
  // Unchanged reports are written every second minute. Each half of the fleet warms up in another minute, so the writes spread evenly.
  for (let second = -120; second < 60 * minutes; second += 1) {
    await clock.runUntil(clock.ms() + 1000);
    if (second === 0) on.meter = meter;
    for (let index = (second + 120) % 60; index < ids.length; index += 60) {
      if (second < 0 && (index % 2 === 0) === second < -60) continue;
      reports += 1;
      const usedPercent = reports % reportsPerCondition === 0 ? 95 : 20;
      const body = { memory: { usedPercent } };
      meter.note('ordering key', ids[index] ?? '', JSON.stringify(body).length + 200);
      await ways.say(ids[index] ?? '', { kind: 'status', body });
    }
    if ((second + 120) % 60 === 59) await ways.sweep();
  }
  meter.note('answer', 'GET /v1/fleet', JSON.stringify(await getFleet(world, ana)).length);
  if (faults.length > 0) throw faults[0];
  return meter;
}

/** The meters of the minute of the loss and of the time after it, and the seconds until each lost camera had its alert. */
type Storm = {
  cameras: number;
  notified: Meter;
  handled: Meter;
  seconds: number;
  created: { inMinute: number; untilTold: number };
};

async function playStorm(cameras: number): Promise<Storm> {
  const played = meteredWorld();
  const { clock, inner, on, ways, deadline, faults, taken } = played;
  const ids = await fleetOf(played, cameras);
  const lost = ids.filter((_, index) => index % 10 < 3);
  const notified = createMeter(clock.now);
  on.meter = notified;
  const startedAt = clock.ms();
  const before = taken.size;
  for (let second = 0; second < 60; second += 1) {
    await clock.runUntil(startedAt + second * 1000);
    for (let index = second; index < lost.length; index += 60) await ways.lose(lost[index] ?? '');
  }
  const inMinute = taken.size - before;
  const handled = createMeter(clock.now);
  on.meter = handled;
  const open = () => inner.count({ in: 'alerts', where: [{ field: 'code', is: '==', value: 'CONN_001' }] });
  for (let passed = 1; (await open()) < lost.length; passed += 1) {
    if (passed > 30) throw new Error(`${await open()} of ${lost.length} lost cameras have an alert after half an hour`);
    await clock.runUntil(startedAt + passed * minute);
    void deadline.sweep().catch((error) => faults.push(error));
    await clock.runUntil(clock.ms() + 1);
  }
  if (faults.length > 0) throw faults[0];
  const created = { inMinute, untilTold: taken.size - before };
  return { cameras, notified, handled, seconds: (clock.ms() - startedAt) / 1000, created };
}
