import { countsOf, type FleetSummary, newSummary } from '../../domain/fleet/summary.ts';
import { sumOf, wholeFleet } from '../../domain/fleet/trends.ts';
import { contactsOfTeam } from '../../domain/notify/teams.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import type { Filter, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { viewSight } from '../sight/sight.ts';
import { countRecords } from './count-fleet.ts';
import { countOverdue, recentOf } from './parts.ts';

/** Counters that a call adds up at most: in a storm its numbers follow with the next fold, some seconds later. */
const mostAdded = 128;

/**
 * The numbers of a group or of the whole fleet as they are now: the summary, and what changes have added since it was written. Where there is
 * no summary yet, they are counted from the records.
 */
export async function presentOf(world: World, groupId: string): Promise<FleetSummary> {
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

/** What the platform sees, and whether anybody would be notified. */
export async function seenNow(world: World): Promise<Pick<FleetSummary, 'sight' | 'hasContacts'>> {
  const [{ record }, { teams }] = await Promise.all([viewSight(world), loadConfiguration(world)]);
  return { sight: record, hasContacts: contactsOfTeam(teams, operationsTeam).length > 0 };
}
