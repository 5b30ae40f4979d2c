import { countsOf, difference, type FleetCounter, hoursOfDay, openedName } from '../../domain/fleet/summary.ts';
import { type Counts, wholeFleet } from '../../domain/fleet/trends.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { severities } from '../../schema/vocabulary.ts';
import { isSameRevision } from '../commit/revision.ts';
import type { Filter, Stored, World } from '../ports.ts';

/** A count, with the counters that were pending at that time. `counts` excludes what groups have not yet added to the fleet. */
export type Counted = { pending: Stored<'fleetCounters'>[]; counts: Counts; isExact: boolean };

/** Counters that one count reads. If more are pending, the count is not exact, and the next sweep counts again. */
const mostPending = 4000;

/**
 * Counts a scope from its records, for a summary that does not exist or was not checked for a day. The count is exact if no counter changed
 * meanwhile, because each change of a record also changes a counter.
 */
export async function countScope(world: World, groupId: string): Promise<Counted> {
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
export async function countRecords({ store, now }: World, groupId: string): Promise<Counts> {
  const isWhole = groupId === wholeFleet;
  const inDevices: Filter<'devices'>[] = isWhole ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const inAlerts: Filter<'alerts'>[] = isWhole ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const counts: Counts = {};
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
