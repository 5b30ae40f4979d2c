import { toWireAlert } from '../../domain/alert/alert.ts';
import {
  alertsOfCounts,
  countsOf,
  difference,
  type FleetCounter,
  type FleetSummary,
  hoursOfDay,
  mostRecent,
  newSummary,
  openedName,
} from '../../domain/fleet/summary.ts';
import { sumOf, type TrendCounts, wholeFleet } from '../../domain/fleet/trends.ts';
import { contactsOfTeam } from '../../domain/notify/team.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { allShards } from '../../domain/shards.ts';
import { type SightView, viewOfSight } from '../../domain/sight/sight.ts';
import { type Instant, plus } from '../../domain/time.ts';
import type { Alert } from '../../schema/alert/alert.ts';
import type { Fleet } from '../../schema/fleet/fleet.ts';
import { severities, wayNames } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import { isSameRevision } from '../commit/commit.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { viewSight } from '../sight/sight.ts';

/** The newest alerts of a group or of the whole fleet. */
export async function recentOf({ store }: Pick<World, 'store'>, groupId: string): Promise<Alert[]> {
  const where: Filter<'alerts'>[] = groupId === wholeFleet ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const found = await store.find({ in: 'alerts', where, orderBy: [['timestamp', 'desc']], limit: mostRecent });
  return found.map(({ data }) => toWireAlert(data));
}

/** Counts devices that are overdue. While the platform is blind, nobody knows whether they are online. */
export function countOverdue({ store, now }: Pick<World, 'store' | 'now'>, groupId: string): Promise<number> {
  const inGroup: Filter<'devices'>[] = groupId === wholeFleet ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const where: Filter<'devices'>[] = [
    ...inGroup,
    { field: 'shard', is: 'in', value: allShards },
    { field: 'silentAt', is: '<=', value: now() },
  ];
  return store.count({ in: 'devices', where });
}

/** Counters that one call adds up. When many alerts change, the numbers follow some seconds later, when the counters are added to the summaries. */
const mostAdded = 128;

/**
 * The present numbers of a group or of the whole fleet: the summary plus the counters since it was written. Without a summary, the records are
 * counted.
 */
async function presentOf(world: World, groupId: string): Promise<FleetSummary> {
  const { store } = world;
  const isWhole = groupId === wholeFleet;
  const where: Filter<'fleetCounters'>[] = isWhole ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const [[stored = null], added] = await Promise.all([
    store.get('fleetSummaries', [groupId]),
    store.find({ in: 'fleetCounters', where, limit: mostAdded }),
  ]);
  if (!stored) return counted(world, groupId);
  if (added.length === 0) return stored.data;
  const counts = sumOf(stored.data.counts, countsOf(added.map(({ data }) => data)));
  return { ...stored.data, counts, recentAlerts: await recentOf(world, groupId) };
}

async function counted(world: World, groupId: string): Promise<FleetSummary> {
  const [counts, recentAlerts, unknown, seen] = await Promise.all([
    countRecords(world, groupId),
    recentOf(world, groupId),
    countOverdue(world, groupId),
    groupId === wholeFleet ? seenNow(world) : {},
  ]);
  return { ...newSummary(groupId), counts, recentAlerts, unknown, ...seen };
}

/** What the platform sees, and whether anybody would be notified of an alert. */
export async function seenNow(world: World): Promise<Pick<FleetSummary, 'sight' | 'hasContacts'>> {
  const [{ record }, { teams }] = await Promise.all([viewSight(world), loadConfiguration(world)]);
  return { sight: record, hasContacts: contactsOfTeam(teams, operationsTeam).length > 0 };
}

/** A count, with the counters that were pending at that time. `counts` excludes what groups have not yet added to the fleet. */
type FleetCount = { pending: Stored<'fleetCounters'>[]; counts: TrendCounts; isExact: boolean };

/** Counters that one count reads. If more are pending, the count is not exact, and the next sweep counts again. */
const mostPending = 4000;

/**
 * Counts a scope from its records, for a summary that does not exist or was not checked for a day. The count is exact if no counter changed
 * meanwhile, because each change of a record also changes a counter.
 */
export async function countScope(world: World, groupId: string): Promise<FleetCount> {
  const before = await pendingOf(world, groupId);
  const counts = await countRecords(world, groupId);
  const pending = await pendingOf(world, groupId);
  const isSameOnes =
    before.length === pending.length && before.every((each, index) => isSameState(each, pending[index]));
  const handedOn: FleetCounter[] = pending.flatMap(({ data }) => (data.groupId === groupId ? [] : [data]));
  return {
    pending: pending.filter(({ data }) => data.groupId === groupId),
    counts: difference(counts, countsOf(handedOn)),
    isExact: isSameOnes && pending.length < mostPending,
  };
}

function isSameState(one: Stored<'fleetCounters'>, other: Stored<'fleetCounters'> | undefined): boolean {
  return one.id === other?.id && isSameRevision(one.revision, other.revision);
}

function pendingOf({ store }: World, groupId: string): Promise<Stored<'fleetCounters'>[]> {
  const where: Filter<'fleetCounters'>[] =
    groupId === wholeFleet ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  return store.find({ in: 'fleetCounters', where, limit: mostPending });
}

/** Counts a group or the whole fleet from its records. */
async function countRecords({ store, now }: World, groupId: string): Promise<TrendCounts> {
  const isWhole = groupId === wholeFleet;
  const inDevices: Filter<'devices'>[] = isWhole ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const inAlerts: Filter<'alerts'>[] = isWhole ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const counts: TrendCounts = {};
  const count = async (name: string, of: Promise<number>) => {
    counts[name] = await of;
    return counts[name];
  };
  const ofDay = (severity: string, since: Instant, until: Instant | null) =>
    store.count({
      in: 'alerts',
      where: [
        ...inAlerts,
        { field: 'severity', is: '==', value: severity },
        { field: 'timestamp', is: '>=', value: since },
        ...(until === null ? [] : [{ field: 'timestamp', is: '<', value: until } as const]),
      ],
    });
  const hours = hoursOfDay(now());
  const [first = ''] = hours;
  await Promise.all([
    count('total', store.count({ in: 'devices', where: inDevices })),
    count(
      'online',
      store.count({ in: 'devices', where: [...inDevices, { field: 'isOnline', is: '==', value: true }] }),
    ),
    count(
      'neverSeen',
      store.count({ in: 'devices', where: [...inDevices, { field: 'wasHeard', is: '==', value: false }] }),
    ),
    ...severities.flatMap((severity) => [
      count(
        `open ${severity}`,
        store.count({
          in: 'alerts',
          where: [
            ...inAlerts,
            { field: 'isOpen', is: '==', value: true },
            { field: 'severity', is: '==', value: severity },
          ],
        }),
      ),
      ofDay(severity, startOf(first), null).then((found) =>
        found === 0
          ? []
          : Promise.all(
              hours.map((hour, index) => {
                const next = hours[index + 1];
                return count(
                  openedName(hour, severity),
                  ofDay(severity, startOf(hour), next === undefined ? null : startOf(next)),
                );
              }),
            ),
      ),
    ]),
  ]);
  return counts;
}

function startOf(hour: string): Instant {
  return plus(`${hour}:00:00.000Z`, 0);
}

/**
 * Summarizes the health of the fleet: reads one record and the pending counters, and for a bearer limited to groups one more record per group. What
 * the platform sees is judged now, so that stopped sweeps are noticed.
 */
export async function getFleet(world: World, bearer: Bearer): Promise<Fleet> {
  const generatedAt = world.now();
  const groups = [...new Set(bearer.groups ?? [])];
  const [whole, ofGroups] = await Promise.all([
    presentOf(world, wholeFleet),
    Promise.all(groups.map((groupId) => presentOf(world, groupId))),
  ]);
  const summaries = bearer.groups === null ? [whole] : ofGroups;
  const sight = viewOfSight(whole.sight, generatedAt, world.waits);
  const counts = countsOf(summaries);
  return {
    devices: devicesOf(summaries, sight),
    platform: platformOf(sight),
    reach: { contacts: whole.hasContacts },
    alerts: alertsOfCounts(counts, generatedAt),
    recentAlerts: summaries
      .flatMap(({ recentAlerts }) => recentAlerts)
      .toSorted((a, b) => (a.timestamp > b.timestamp ? -1 : 1))
      .slice(0, mostRecent),
    generatedAt,
  };
}

/** While the platform is blind, overdue devices count as unknown. While no sweep runs, the number of online devices is unknown (null). */
function devicesOf(summaries: readonly FleetSummary[], { state, isSwept }: SightView): Fleet['devices'] {
  const { total = 0, online: marked = 0, neverSeen = 0 } = countsOf(summaries);
  const unknown = state === 'blind' ? summaries.reduce((sum, summary) => sum + summary.unknown, 0) : 0;
  const offline = Math.max(0, total - marked - neverSeen);
  if (!isSwept && total > 0) return { total, online: null, offline, unknown, neverSeen, onlinePercent: null };
  const online = Math.max(0, marked - unknown);
  return { total, online, offline, unknown, neverSeen, onlinePercent: percent(online, total - neverSeen) };
}

function platformOf({ state, since, record, drill }: SightView): Fleet['platform'] {
  return {
    state,
    since,
    horizonAt: record?.horizonAt ?? null,
    lastReportAt: record?.lastReportAt ?? null,
    ways: wayNames.map((name) => ({
      name,
      state: record ? record.ways[name].state : 'blind',
      lastHandledAt: record?.ways[name].lastHandledAt ?? null,
    })),
    incidentId: record?.incidentId ?? null,
    drill,
  };
}

/** Rounds down, so that one dark camera among many never shows as 100 %. */
function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part * 1000) / whole) / 10;
}
