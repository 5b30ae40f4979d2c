import { allShards } from '../../domain/shards.ts';
import { judgeSight, newSight, type SightRecord, sightId } from '../../domain/sight/sight.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { type WayName, wayNames } from '../../schema/vocabulary.ts';
import { wakeAll } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import { put } from '../commit/put.ts';
import { withinOneCommit } from '../commit/size.ts';
import { handleDeviceAbsent } from '../devices/due.ts';
import { beatHearts } from '../drill/heartbeats.ts';
import { viewOfDrill } from '../drill/load-drill.ts';
import { followBlindness } from '../incidents/blind.ts';
import { type Gathering, gather } from '../incidents/gathered.ts';
import { guardians } from '../incidents/guardians.ts';
import { lookAtOutages } from '../incidents/look.ts';
import { unreadable } from '../incidents/unreadable.ts';
import { Conflict, type Filter, type Stored, type World } from '../ports.ts';
import { lookAround } from '../sight/look.ts';
import { type Canaries, sendCanaries } from '../sight/send-canaries.ts';
import { loadSightings } from '../sight/sight.ts';
import { findAll, forEachOf, pageSize } from './sweep-pages.ts';

/** Maximum number of absent devices that one sweep handles when the horizon jumps. The next sweep, a minute later, continues. */
const mostAbsent = 5000;
const inAnyShard: Filter<'devices'> = { field: 'shard', is: 'in', value: allShards };

/**
 * Evaluates what the platform itself can see, sends the next canaries, and handles the devices that had to report by the horizon: no device
 * is declared lost or silent for a time after it. Then evaluates open outages.
 * @returns how many devices were handled
 */
export async function sweepSight(world: World, canaries: Canaries): Promise<number> {
  const horizon = await see(world, canaries);
  if (horizon === null) return 0;
  const found = await sweepAbsence(world, horizon);
  await lookAtOutages(world, horizon);
  for (const gathering of [unreadable, guardians]) await gatherOrGoOn(world, gathering, horizon);
  return found;
}

/** What many cameras have in common is not worth the rest of a sweep: the next looks again. */
async function gatherOrGoOn(world: World, gathering: Gathering, horizon: Instant): Promise<void> {
  try {
    await gather(world, gathering, horizon);
  } catch (error) {
    world.log.error('incident.failed', { kind: gathering.kind, error: String(error) });
  }
}

/** @returns the horizon; null: there is none yet, or another sweep of this moment was first */
async function see(world: World, canaries: Canaries): Promise<Instant | null> {
  const { stored, canaries: records } = await loadSightings(world);
  const { waits } = world;
  const now = world.now();
  // A sweep that is repeated at once sends no canaries, so that their number is limited.
  const isSent = stored === null || msBetween(stored.data.sweptAt, now) >= waits.canaryEvery / 2;
  const before = stored?.data ?? newSight(now);
  const hasCanaries = { broker: canaries.senders.broker !== undefined, ingest: canaries.senders.ingest !== undefined };
  const look = await lookAround(world, before, records, hasCanaries, isSent);
  const judged = judgeSight(before, look.ways, look.lastReportAt, now, waits);
  const { sight: followed, ...incident } = await followBlindness(world, judged, now);
  const next = { ...followed, drill: await viewOfDrill(world) };
  const notices = brokenCanaries(before, next).map((way) => brokenNotice(way, now));
  const { writes, wakes } = withinOneCommit(
    {
      writes: [put('platform', sightId, next, stored), ...incident.writes, ...notices.map(({ write }) => write)],
      wakes: [...incident.wakes, ...notices.map(({ wake }) => wake)],
    },
    world.now,
  );
  try {
    await world.store.commit(writes);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return null;
  }
  await wakeAll(world, wakes);
  if (next.state !== before.state) logState(world, next);
  if (isSent) await sendCanaries(world, canaries, now);
  if (next.state === 'sees') await beatOrGoOn(world, canaries.heartbeats ?? 0);
  // The first sweep ever has nothing to compare with.
  return stored ? next.horizonAt : null;
}

/** A beat that cannot be owed is missed outside, which is what it is for. */
async function beatOrGoOn(world: World, addresses: number): Promise<void> {
  try {
    await beatHearts(world, addresses);
  } catch (error) {
    world.log.error('heartbeat.failed', { error: String(error) });
  }
}

/** Ways on which this sweep found that the canary is broken and not the way. */
function brokenCanaries(before: SightRecord, next: SightRecord): WayName[] {
  return wayNames.filter((way) => next.ways[way].brokenSince !== null && before.ways[way].brokenSince === null);
}

const wayTitles: Record<WayName, string> = { broker: 'the MQTT broker', ingest: 'Pub/Sub' };

function brokenNotice(way: WayName, at: Instant) {
  const text =
    `WARNING: our canary is broken. Reports of cameras come through, but what Watchpost sends through ${wayTitles[way]} does not. ` +
    'Alerting goes on by the reports alone. Look at the account and the password of MQTT_URL and at the rights of `deadline`.';
  return noticeOf({ noticeId: `canary-broken-${way}-${at}`, kind: 'canary-broken', text }, at);
}

function logState({ log }: World, next: SightRecord): void {
  const ways = Object.fromEntries(wayNames.map((way) => [way, next.ways[way].state]));
  const fields = { ...ways, horizonAt: next.horizonAt };
  if (next.state === 'blind') log.error('platform.blind', fields);
  else log.info(`platform.${next.state}`, fields);
}

type Clock = 'absentAt' | 'silentAt';

async function sweepAbsence(world: World, horizon: Instant): Promise<number> {
  const lost = await dueBy(world, 'absentAt', horizon);
  const silent = await dueBy(world, 'silentAt', horizon);
  const found = new Map([...lost, ...silent].map((device) => [device.id, device]));
  await forEachOf(world, [...found.values()], ({ id }) => handleDeviceAbsent(world, id, horizon));
  if (found.size > 0) world.log.info('sweep.absent', { devices: found.size });
  return found.size;
}

function dueBy({ store }: World, clock: Clock, horizon: Instant): Promise<Stored<'devices'>[]> {
  return findAll<'devices'>(mostAbsent, (after) =>
    store.find({
      in: 'devices',
      where: [inAnyShard, { field: clock, is: '<=', value: horizon }],
      orderBy: [[clock, 'asc']],
      limit: pageSize,
      ...(after ? { after: [after.data[clock], after.id] } : {}),
    }),
  );
}
