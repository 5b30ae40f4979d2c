import { toWireAlert } from '../../domain/alert/alert.ts';
import { contactsOfTeam } from '../../domain/notify/teams.ts';
import { operationsTeam } from '../../domain/settings/settings.ts';
import { allShards } from '../../domain/shards.ts';
import type { SightView } from '../../domain/sight/view.ts';
import { plus } from '../../domain/time.ts';
import type { Fleet } from '../../schema/fleet/fleet.ts';
import { severities, wayNames } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import type { Filter, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { viewSight } from '../sight/sight.ts';

const day = 24 * 60 * 60_000;

/**
 * A summary of the fleet's health, of the bearer's groups. It counts by index, so that its cost does not grow with the size of the records.
 */
export async function getFleet(world: World, bearer: Bearer): Promise<Fleet> {
  const { store } = world;
  const generatedAt = world.now();
  const sight = await viewSight(world);
  const deviceGroups: Filter<'devices'>[] = bearer.groups ? [{ field: 'groupId', is: 'in', value: bearer.groups }] : [];
  const alertGroups: Filter<'alerts'>[] = bearer.groups ? [{ field: 'groupId', is: 'in', value: bearer.groups }] : [];
  const since: Filter<'alerts'> = { field: 'timestamp', is: '>=', value: plus(generatedAt, -day) };
  const open: Filter<'alerts'> = { field: 'isOpen', is: '==', value: true };
  const perSeverity = async (filter: Filter<'alerts'>) => {
    const counts = severities.map(async (severity) => {
      const where = [...alertGroups, filter, { field: 'severity', is: '==', value: severity } as const];
      return [severity, await store.count({ in: 'alerts', where })] as const;
    });
    return Object.fromEntries(await Promise.all(counts)) as typeof none;
  };
  const isNobodys = bearer.groups?.length === 0;
  const [devices, openCounts, lastDay, recent, contacts] = await Promise.all([
    isNobodys ? nothing : countDevices(world, deviceGroups, sight, generatedAt),
    isNobodys ? none : perSeverity(open),
    isNobodys ? none : perSeverity(since),
    isNobodys ? [] : store.find({ in: 'alerts', where: alertGroups, orderBy: [['timestamp', 'desc']], limit: 20 }),
    hasContacts(world),
  ]);
  return {
    devices,
    platform: platformOf(sight),
    reach: { contacts },
    alerts: { open: openCounts, last24h: lastDay },
    recentAlerts: recent.map(({ data }) => toWireAlert(data)),
    generatedAt,
  };
}

const none = { CRITICAL: 0, ERROR: 0, WARNING: 0, INFO: 0 };
const nothing = { total: 0, online: 0, offline: 0, unknown: 0, onlinePercent: null };

/** While the platform is blind, overdue devices count as unknown. While no sweep runs, the number of devices online is unknown (null). */
async function countDevices(
  { store }: World,
  groups: Filter<'devices'>[],
  { state, isSwept }: SightView,
  now: string,
): Promise<Fleet['devices']> {
  const overdue: Filter<'devices'>[] = [
    ...groups,
    { field: 'shard', is: 'in', value: allShards },
    { field: 'silentAt', is: '<=', value: now },
  ];
  const [total, marked, unknown] = await Promise.all([
    store.count({ in: 'devices', where: groups }),
    store.count({ in: 'devices', where: [...groups, { field: 'isOnline', is: '==', value: true }] }),
    state === 'blind' ? store.count({ in: 'devices', where: overdue }) : 0,
  ]);
  const offline = total - marked;
  const online = Math.max(0, marked - unknown);
  if (!isSwept && total > 0) return { total, online: null, offline, unknown, onlinePercent: null };
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

/** Whether the team that is notified of every alert has any contact. */
async function hasContacts(world: World): Promise<boolean> {
  return contactsOfTeam((await loadConfiguration(world)).teams, operationsTeam).length > 0;
}

/** Rounds down, so that one dark camera among many never shows as 100 %. */
function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part * 1000) / whole) / 10;
}
