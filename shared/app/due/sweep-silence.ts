import { allShards } from '../../domain/shards.ts';
import {
  clearSight,
  judgeSilence,
  type PlatformState,
  platformId,
  type Sight,
} from '../../domain/sight/platform-guard.ts';
import type { Instant } from '../../domain/time.ts';
import { wakeAll } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import { put } from '../commit/put.ts';
import { handleDeviceSilent } from '../devices/due.ts';
import { Conflict, type Filter, type Stored, type World } from '../ports.ts';
import { findAll, forEachOf, pageSize } from './sweep-pages.ts';

/** Most devices that one sweep declares silent: the next, a minute later, goes on. */
const mostSilent = 5000;
const inAnyShard: Filter<'devices'> = { field: 'shard', is: 'in', value: allShards };
const isOnline: Filter<'devices'> = { field: 'isOnline', is: '==', value: true };

/**
 * Declares the devices silent that were to report by now, unless it is the platform that does not see: then operations are told once, and
 * nobody is declared silent until reports have flowed again for a while.
 * @returns how many devices were declared silent
 */
export async function sweepSilence(world: World): Promise<number> {
  const [stored = null] = await world.store.get('platform', [platformId]);
  const state = stored?.data ?? clearSight;
  const now = world.now();
  const verdict = judgeSilence(state, await look(world, state, now), world.waits);
  if (verdict.kind !== 'declare') {
    const isNews = await remember(world, stored, verdict.state, verdict.kind === 'blind' ? verdict.why : null, now);
    if (isNews && verdict.kind === 'blind') world.log.error('platform.blind', { why: verdict.why });
    return 0;
  }
  const silent = await findAll<'devices'>(mostSilent, (after) =>
    world.store.find({
      in: 'devices',
      where: [inAnyShard, { field: 'silentAt', is: '<=', value: now }],
      orderBy: [['silentAt', 'asc']],
      limit: pageSize,
      ...(after ? { after: [after.data.silentAt, after.id] } : {}),
    }),
  );
  await forEachOf(world, silent, ({ id }) => handleDeviceSilent(world, id));
  if (silent.length > 0) world.log.info('sweep.silent', { devices: silent.length });
  return silent.length;
}

async function look({ store }: World, { blindAt }: PlatformState, now: Instant): Promise<Sight> {
  const due: Filter<'devices'>[] = [inAnyShard, { field: 'silentAt', is: '<=', value: now }];
  if (blindAt !== null) due.push({ field: 'silentAt', is: '>', value: blindAt });
  const [online, newlySilent, [newest = null]] = await Promise.all([
    store.count({ in: 'devices', where: [isOnline] }),
    store.count({ in: 'devices', where: due }),
    store.find({ in: 'devices', where: [inAnyShard], orderBy: [['silentAt', 'desc']], limit: 1 }),
  ]);
  return { now, online, newlySilent, lastReportAt: newest?.data.silentAt ? newest.data.lastSeenAt : null };
}

/** Two sweeps at once come to one notice: the second finds the state changed. */
async function remember(
  world: World,
  stored: Stored<'platform'> | null,
  state: PlatformState,
  why: string | null,
  at: Instant,
): Promise<boolean> {
  if (JSON.stringify(stored?.data ?? clearSight) === JSON.stringify(state)) return false;
  const write = put('platform', platformId, state, stored);
  const text = `Watchpost is blind: ${why}. No silence is declared until reports flow again.`;
  const notice = why === null ? null : noticeOf({ noticeId: `platform-blind-${at}`, kind: 'platform-blind', text }, at);
  try {
    await world.store.commit(notice ? [write, notice.write] : [write]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return false;
  }
  if (notice) await wakeAll(world, [notice.wake]);
  return true;
}
