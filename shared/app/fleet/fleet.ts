import { alertsOfCounts, countsOf, type FleetSummary, mostRecent } from '../../domain/fleet/summary.ts';
import { wholeFleet } from '../../domain/fleet/trends.ts';
import { type SightView, viewOfSight } from '../../domain/sight/view.ts';
import type { Fleet } from '../../schema/fleet/fleet.ts';
import { wayNames } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import type { World } from '../ports.ts';
import { presentOf } from './present.ts';

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
  const { total = 0, online: marked = 0 } = countsOf(summaries);
  const unknown = state === 'blind' ? summaries.reduce((sum, summary) => sum + summary.unknown, 0) : 0;
  const offline = total - marked;
  if (!isSwept && total > 0) return { total, online: null, offline, unknown, onlinePercent: null };
  const online = Math.max(0, marked - unknown);
  return { total, online, offline, unknown, onlinePercent: percent(online, total) };
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
