import { countsOf, type FleetSummary, newSummary } from '../../domain/fleet/summary.ts';
import { sumOf, wholeFleet } from '../../domain/fleet/trends.ts';
import { contactsOfTeam } from '../../domain/notify/teams.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import type { Filter, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { viewSight } from '../sight/sight.ts';
import { countRecords } from './count-fleet.ts';
import { countOverdue, recentOf } from './parts.ts';

/** Counters that one call adds up. When many alerts change, the numbers follow some seconds later, when the counters are added to the summaries. */
const mostAdded = 128;

/**
 * The present numbers of a group or of the whole fleet: the summary plus the counters since it was written. Without a summary, the records are
 * counted.
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

/** What the platform sees, and whether anybody would be notified of an alert. */
export async function seenNow(world: World): Promise<Pick<FleetSummary, 'sight' | 'hasContacts'>> {
  const [{ record }, { teams }] = await Promise.all([viewSight(world), loadConfiguration(world)]);
  return { sight: record, hasContacts: contactsOfTeam(teams, operationsTeam).length > 0 };
}
