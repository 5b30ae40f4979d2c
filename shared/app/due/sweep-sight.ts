import { fleetWake } from '../../domain/fleet/summary.ts';
import { judgeSight, newSight, type SightRecord, sightId, unprovenWays } from '../../domain/sight/sight.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { type WayName, wayNames } from '../../schema/vocabulary.ts';
import { put, wakeAll, withinOneCommit } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';

import { beatHearts } from '../drill/heartbeats.ts';
import { viewOfDrill } from '../drill/load-drill.ts';
import { followBlindness } from '../incidents/blind.ts';
import { type Gathering, gather } from '../incidents/gathered.ts';
import { guardians } from '../incidents/guardians.ts';
import { unreadable } from '../incidents/unreadable.ts';
import { Conflict, type World } from '../ports.ts';
import { lookAround } from '../sight/look.ts';
import { type Canaries, sendAndAwait } from '../sight/send-canaries.ts';
import { loadCanaries, loadSight } from '../sight/sight.ts';

/** The horizon of one sweep, and when the horizon last went on after it had stood still. */
export type Horizon = Pick<SightRecord, 'horizonAt' | 'clearSince' | 'state' | 'incidentId' | 'restored'>;

/** Finds other common causes than outages. */
export async function gatherCauses(world: World, { horizonAt, clearSince }: Horizon): Promise<number> {
  await gatherOrGoOn(world, unreadable, horizonAt);
  // After a blindness, guardians are judged later than cameras: what they sent through a broker that was away is lost, and they report more rarely.
  const isClear = !clearSince || msBetween(clearSince, world.now()) >= world.waits.guardianReturn;
  if (isClear) await gatherOrGoOn(world, guardians, horizonAt);
  return 0;
}

/** A failure in the search for common causes must not stop the sweep. The next sweep searches again. */
async function gatherOrGoOn(world: World, gathering: Gathering, horizon: Instant): Promise<void> {
  try {
    await gather(world, gathering, horizon);
  } catch (error) {
    world.log.error('incident.failed', { kind: gathering.kind, error: String(error) });
  }
}

/**
 * Sends canaries, and evaluates what the platform itself can see.
 * @returns how far it sees; null: there is no horizon yet, or another sweep of this moment was first
 */
export async function see(world: World, canaries: Canaries): Promise<Horizon | null> {
  const stored = await loadSight(world);
  const { waits } = world;
  const now = world.now();
  // A sweep that runs again shortly after another sends no canaries, so that their number is limited.
  const isSent = stored === null || msBetween(stored.data.sweptAt, now) >= waits.canaryEvery / 2;
  const before = stored?.data ?? newSight(now);
  // They are sent first: what they show now is a minute newer than what those of the last sweep show.
  const records = isSent ? await sendAndAwait(world, canaries, before, now) : await loadCanaries(world);
  const hasCanaries = { broker: canaries.senders.broker !== undefined, ingest: canaries.senders.ingest !== undefined };
  const look = await lookAround(world, before, records, hasCanaries, isSent);
  const judged = judgeSight(before, look.ways, look.lastReportAt, now, waits);
  const { sight: followed, ...incident } = await followBlindness(world, judged, now);
  const next = { ...followed, drill: await viewOfDrill(world) };
  const unproven = unprovenWays(next);
  const newlyUnproven = unproven.filter(({ way }) => before.ways[way].state !== 'unproven');
  const notices = [
    ...brokenCanaries(before, next).map((way) => brokenNotice(way, now)),
    ...newlyUnproven.map(({ way }) => unprovenNotice(way, now)),
  ];
  const { writes, wakes } = withinOneCommit(
    {
      writes: [put('platform', sightId, next, stored), ...incident.writes, ...notices.map(({ write }) => write)],
      wakes: [
        ...(next.state === before.state ? [] : [fleetWake(now, waits)]),
        ...incident.wakes,
        ...notices.map(({ wake }) => wake),
      ],
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
  for (const { way, since } of unproven) world.log.warn('canary.missing', { way, since });
  const isProven = unproven.every(({ since }) => msBetween(since, now) < waits.unprovenLongest);
  if (next.state === 'sees' && isProven) await beatOrGoOn(world, canaries.heartbeats ?? 0);
  // The first sweep ever has nothing to compare with.
  return stored ? next : null;
}

/** If a beat cannot be created, the external watchdog notices that it is missing, which is its purpose. */
async function beatOrGoOn(world: World, addresses: number): Promise<void> {
  try {
    await beatHearts(world, addresses);
  } catch (error) {
    world.log.error('heartbeat.failed', { error: String(error) });
  }
}

/** Paths on which this sweep found that the canary is broken and not the path. */
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

function unprovenNotice(way: WayName, at: Instant) {
  const text =
    `WARNING: no canary ever came through ${wayTitles[way]}. Watchpost sees the cameras by their reports alone, and cannot tell a quiet fleet from a path that is broken. ` +
    (way === 'broker'
      ? 'Have whatever connects the broker forward the topic watchpost/canary, and let the account of MQTT_URL publish to it.'
      : 'Look at the topic of MESSAGES_TOPIC, at its subscription, and at the rights of `deadline`.');
  return noticeOf({ noticeId: `canary-missing-${way}-${at}`, kind: 'canary-missing', text }, at);
}

function logState({ log }: World, next: SightRecord): void {
  const ways = Object.fromEntries(wayNames.map((way) => [way, next.ways[way].state]));
  const fields = { ...ways, horizonAt: next.horizonAt };
  if (next.state === 'blind') log.error('platform.blind', fields);
  else log.info(`platform.${next.state}`, fields);
}
