import { allShards } from '../../domain/shards.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { wakeAll } from '../commit/commit.ts';
import { type HorizonView, handleDeviceAbsent } from '../devices/due.ts';
import type { Filter, Stored, Wake, World } from '../ports.ts';
import { loadSight } from '../sight/sight.ts';
import { handleDue } from './due.ts';
import { forEachFound, pageSize, type SweepBounds } from './sweep-pages.ts';
import { dueTable } from './table.ts';

const inAnyShard: Filter<'devices'> = { field: 'shard', is: 'in', value: allShards };

type DeviceClock = 'dueAt' | 'absentAt' | 'silentAt';
type ShardSweep = { done: number; isMore: boolean };

/** Handles the devices that had to report by the horizon: no device is declared lost or silent for a time after it. */
export async function sweepAbsent(world: World, seen: HorizonView, until: Instant): Promise<number> {
  const bounds = { limit: dueTable.devices.sweepLimit, until };
  const swept = await absentIn(world, inAnyShard, seen, bounds);
  if (isWorking(swept)) await askShards(world);
  return swept.done;
}

/** Handles the devices whose wake was lost. @returns how many of them a wake should have handled */
export async function sweepDevicesDue(world: World, until: Instant): Promise<number> {
  const bounds = { limit: dueTable.devices.sweepLimit, until };
  const swept = await dueIn(world, inAnyShard, bounds);
  if (isWorking(swept)) await askShards(world);
  return swept.done;
}

/**
 * Devices that one shard handles per second, ten at a time. All 64 shards together then write 3,456 alerts a second, which the index ranges can take,
 * and a million devices take less than five minutes. Ten at a time, because all shards begin at the same moment: with 54 at once, some seconds would
 * see twice as many.
 */
const pacePerShard = { perSecond: 54, atOnce: 10 };

/**
 * The task of one shard when more devices are due than one sweep handles: handles this shard at a limited pace, and requests the next task when its
 * time is over.
 * @throws Error for an unknown shard
 */
export async function sweepShard(world: World, id: string): Promise<void> {
  const shard = Number(id);
  if (!allShards.includes(shard)) throw new Error(`${id} is not a shard`);
  const inShard: Filter<'devices'> = { field: 'shard', is: '==', value: shard };
  const until = plus(world.now(), world.waits.sweepLongest);
  const bounds = {
    limit: Number.POSITIVE_INFINITY,
    until,
    pace: {
      count: pacePerShard.atOnce,
      ms: (pacePerShard.atOnce / pacePerShard.perSecond) * world.waits.settingsSecond,
    },
  };
  const sight = await loadSight(world);
  const absent = sight === null ? nothing : await absentIn(world, inShard, sight.data, bounds);
  const due = await dueIn(world, inShard, bounds);
  world.log.info('sweep.shard', { shard, absent: absent.done, devices: due.done });
  if (isWorking(absent) || isWorking(due)) await askShards(world, [shard]);
}

const nothing: ShardSweep = { done: 0, isMore: false };

/**
 * A task that handled nothing requests no further one and leaves the rest to the next sweep: if the store is too slow, more tasks would make it
 * slower.
 */
function isWorking({ done, isMore }: ShardSweep): boolean {
  return isMore && done > 0;
}

/** One task per shard and second, however often it is requested. */
async function askShards(world: World, shards = allShards): Promise<void> {
  const dueAt = world.now();
  const version = Math.floor(Date.parse(dueAt) / 1000);
  await wakeAll(
    world,
    shards.map((shard): Wake => ({ in: 'shards', id: `${shard}`, version, dueAt })),
  );
}

async function absentIn(
  world: World,
  inShards: Filter<'devices'>,
  seen: HorizonView,
  bounds: SweepBounds,
): Promise<ShardSweep> {
  const done = new Set<string>();
  const handle = async ({ id }: Stored<'devices'>) => {
    if (done.has(id)) return;
    await handleDeviceAbsent(world, id, seen);
    done.add(id);
  };
  const isMore = [
    await eachBy(world, inShards, { clock: 'absentAt', until: seen.horizonAt }, bounds, handle),
    await eachBy(world, inShards, { clock: 'silentAt', until: seen.horizonAt }, bounds, handle),
  ].includes(true);
  if (done.size > 0) world.log.info('sweep.absent', { devices: done.size });
  return { done: done.size, isMore };
}

async function dueIn(world: World, inShards: Filter<'devices'>, bounds: SweepBounds): Promise<ShardSweep> {
  let done = 0;
  const until = plus(world.now(), -world.waits[dueTable.devices.grace]);
  const isMore = await eachBy(world, inShards, { clock: 'dueAt', until }, bounds, async ({ id }) => {
    if (await handleDue(world, 'devices', id)) done += 1;
  });
  if (done > 0) world.log.warn('sweep.found', { devices: done });
  return { done, isMore };
}

function eachBy(
  world: World,
  inShards: Filter<'devices'>,
  { clock, until }: { clock: DeviceClock; until: Instant },
  bounds: SweepBounds,
  handle: (device: Stored<'devices'>) => Promise<void>,
): Promise<boolean> {
  const page = (after: Stored<'devices'> | null) =>
    world.store.find({
      in: 'devices',
      where: [inShards, { field: clock, is: '<=', value: until }],
      orderBy: [[clock, 'asc']],
      limit: pageSize,
      ...(after ? { after: [after.data[clock], after.id] } : {}),
    });
  return forEachFound<'devices'>(world, bounds, page, handle);
}
