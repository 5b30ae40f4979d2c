import { toWireAlert } from '../../domain/alert/alert.ts';
import { plus } from '../../domain/time.ts';
import type { Fleet } from '../../schema/fleet/fleet.ts';
import { severities } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import type { Filter, World } from '../ports.ts';

const day = 24 * 60 * 60_000;

/** Health of the fleet at a glance, of the bearer's groups. Counts by index: its cost does not grow with the records' size. */
export async function getFleet({ store, now }: World, bearer: Bearer): Promise<Fleet> {
  const generatedAt = now();
  const deviceGroups: Filter<'devices'>[] = bearer.groups ? [{ field: 'groupId', is: 'in', value: bearer.groups }] : [];
  const alertGroups: Filter<'alerts'>[] = bearer.groups ? [{ field: 'groupId', is: 'in', value: bearer.groups }] : [];
  const since: Filter<'alerts'> = { field: 'timestamp', is: '>=', value: plus(generatedAt, -day) };
  const open: Filter<'alerts'> = { field: 'isOpen', is: '==', value: true };
  if (bearer.groups?.length === 0) return emptyFleet(generatedAt);
  const perSeverity = (filter: Filter<'alerts'>) =>
    Promise.all(
      severities.map(async (severity) => {
        const where = [...alertGroups, filter, { field: 'severity', is: '==', value: severity } as const];
        return [severity, await store.count({ in: 'alerts', where })] as const;
      }),
    );
  const [total, online, openCounts, lastDay, recent] = await Promise.all([
    store.count({ in: 'devices', where: deviceGroups }),
    store.count({ in: 'devices', where: [...deviceGroups, { field: 'isOnline', is: '==', value: true }] }),
    perSeverity(open),
    perSeverity(since),
    store.find({ in: 'alerts', where: alertGroups, orderBy: [['timestamp', 'desc']], limit: 20 }),
  ]);
  return {
    devices: { total, online, offline: total - online, onlinePercent: percent(online, total) },
    alerts: {
      open: Object.fromEntries(openCounts) as Fleet['alerts']['open'],
      last24h: Object.fromEntries(lastDay) as Fleet['alerts']['last24h'],
    },
    recentAlerts: recent.map(({ data }) => toWireAlert(data)),
    generatedAt,
  };
}

/** Rounded down: one camera of many that is dark is never 100 %. */
function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part * 1000) / whole) / 10;
}

function emptyFleet(generatedAt: string): Fleet {
  const none = { CRITICAL: 0, ERROR: 0, WARNING: 0, INFO: 0 };
  return {
    devices: { total: 0, online: 0, offline: 0, onlinePercent: null },
    alerts: { open: none, last24h: none },
    recentAlerts: [],
    generatedAt,
  };
}
