import { allShards } from '../../domain/shards.ts';
import { type CanaryRecord, shownBy } from '../../domain/sight/canary.ts';
import { isMissing, isUnproven, type SightRecord, type WayEvidence } from '../../domain/sight/sight.ts';
import { type GroupSilence, isMassSilence, shownByReports } from '../../domain/sight/witness.ts';
import { earliest, type Instant, plus } from '../../domain/time.ts';
import type { WayName } from '../../schema/vocabulary.ts';
import type { Filter, World } from '../ports.ts';

/** What one sweep observes of both paths, and the newest written report of any device. */
export type Look = { ways: Record<WayName, WayEvidence>; lastReportAt: Instant | null };

/** Devices that reported last. This number is enough to find two groups among them. */
const mostWitnesses = 400;
/** Devices that are examined one by one to determine whether many fell silent together. */
const mostSilent = 5000;

const inAnyShard: Filter<'devices'> = { field: 'shard', is: 'in', value: allShards };
const isOnline: Filter<'devices'> = { field: 'isOnline', is: '==', value: true };

/** Examines the canaries and, where they are not conclusive, the fleet. `isSent`: this sweep sends canaries on the paths that have them. */
export async function lookAround(
  world: World,
  before: SightRecord,
  canaries: readonly CanaryRecord[],
  hasCanaries: Record<WayName, boolean>,
  isSent: boolean,
): Promise<Look> {
  const { waits } = world;
  const now = world.now();
  const shown = (way: WayName) => (hasCanaries[way] ? { ...shownBy(way, canaries, now, waits), isSent } : null);
  const found = { broker: shown('broker'), ingest: shown('ingest') };
  // What stayed away in a time that a restore lost shows nothing.
  const isQuiet = before.restored !== undefined && now < before.restored.quietUntil;
  const isAnyMissing = (['broker', 'ingest'] as const).some((way) => {
    const seen = found[way];
    return seen !== null && isMissing(before.ways[way], seen, now, waits);
  });
  const isAnyWithout = (['broker', 'ingest'] as const).some((way) => {
    const seen = found[way];
    return seen === null || isUnproven(before.ways[way], seen, now, waits);
  });
  const recent = await newestReports(world, isAnyMissing || isAnyWithout ? mostWitnesses : 1);
  const reportsShow = isAnyMissing ? await shownByFleet(world, recent, now) : null;
  const massSilentAt = isAnyWithout && !isQuiet ? await massSilence(world, before, recent, now) : null;
  const lookedAt = (way: WayName): WayEvidence => ({ canaries: found[way], reportsShow, massSilentAt });
  return {
    ways: { broker: lookedAt('broker'), ingest: lookedAt('ingest') },
    lastReportAt: recent[0]?.lastSeenAt ?? null,
  };
}

async function newestReports({ store }: World, limit: number) {
  const found = await store.find({ in: 'devices', where: [inAnyShard], orderBy: [['lastSeenAt', 'desc']], limit });
  return found.flatMap(({ data: { deviceId, groupId, lastSeenAt } }) =>
    lastSeenAt === null ? [] : [{ deviceId, groupId, lastSeenAt }],
  );
}

type NewestReports = Awaited<ReturnType<typeof newestReports>>;

async function shownByFleet({ store, waits }: World, recent: NewestReports, now: Instant): Promise<Instant | null> {
  const [first] = recent;
  if (!first) return null;
  const [online, inGroup] = await Promise.all([
    store.count({ in: 'devices', where: [isOnline] }),
    store.count({ in: 'devices', where: [{ field: 'groupId', is: '==', value: first.groupId }, isOnline] }),
  ]);
  return shownByReports({ recent, online, isOneGroup: online === inGroup }, now, waits);
}

/** Where many devices fell silent together, the instant before the first of them was due. Null: there are not so many. */
async function massSilence(
  { store }: World,
  { ways }: SightRecord,
  recent: NewestReports,
  now: Instant,
): Promise<Instant | null> {
  const due: Filter<'devices'>[] = [inAnyShard, { field: 'silentAt', is: '<=', value: now }];
  const believedAt = earliest([ways.broker.believedAt, ways.ingest.believedAt]);
  if (believedAt !== null) due.push({ field: 'silentAt', is: '>', value: believedAt });
  const silent = await store.find({ in: 'devices', where: due, orderBy: [['silentAt', 'asc']], limit: mostSilent });
  const [first] = silent;
  if (!first?.data.silentAt) return null;
  const silentIn = Map.groupBy(silent, ({ data }) => data.groupId);
  const groupIds = [...new Set([...silentIn.keys(), ...recent.map(({ groupId }) => groupId)])];
  const groups = await Promise.all(
    groupIds.map(
      async (groupId): Promise<GroupSilence> => ({
        groupId,
        online: await store.count({ in: 'devices', where: [{ field: 'groupId', is: '==', value: groupId }, isOnline] }),
        silent: silentIn.get(groupId)?.length ?? 0,
      }),
    ),
  );
  return isMassSilence(groups) ? plus(first.data.silentAt, -1) : null;
}
