import type { AuditEntry } from '../../domain/alert/lifecycle.ts';
import type { ActivityEntry } from '../../domain/device/activity.ts';
import type { ActivityItem, ActivityQuery } from '../../schema/device/activity.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import { visibleGroups } from '../alerts/list.ts';
import type { Bearer } from '../bearer.ts';
import { cut, defaultPageSize, listKey, type PageTokens } from '../paging/paging.ts';
import type { Stored, World } from '../ports.ts';

/**
 * Lists what happened on a device and with its alerts, newest first. A device that is gone keeps its activity.
 * @throws AppError `invalid-request` for a foreign page token
 */
export async function listActivity(
  world: World,
  bearer: Bearer,
  deviceId: string,
  query: ActivityQuery,
  tokens: PageTokens,
): Promise<{ entries: ActivityItem[]; nextPageToken?: string }> {
  const key = listKey(`activity ${deviceId}`, query, bearer.groups);
  const after = query.pageToken === undefined ? undefined : tokens.open(key, query.pageToken);
  const groups = visibleGroups(undefined, bearer.groups);
  if (groups?.length === 0) return { entries: [] };
  const pageSize = query.pageSize ?? defaultPageSize;
  const page = {
    where: [
      { field: 'deviceId' as const, is: '==' as const, value: deviceId },
      ...(groups ? [{ field: 'groupId' as const, is: 'in' as const, value: groups }] : []),
    ],
    orderBy: [['at', 'desc'] as ['at', 'desc']],
    limit: pageSize + 1,
    ...(after ? { after } : {}),
  };
  // Both are in one order, so a position in the merged list is a position in each.
  const [own, changes] = await Promise.all([
    world.store.find({ in: 'activity', ...page }),
    world.store.find({ in: 'audit', ...page }),
  ]);
  const merged = [...own, ...changes].toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  const { items, next } = cut(merged, pageSize, ({ data, id }) => [data.at, id]);
  const codes = await codesOf(world, items);
  const entries = items.map(({ data }) => ('kind' in data ? ownItem(data) : changeItem(data, codes)));
  return next ? { entries, nextPageToken: tokens.seal(key, next) } : { entries };
}

type Entry = Stored<'activity'> | Stored<'audit'>;

function keyOf({ data, id }: Entry): string {
  return `${data.at} ${id}`;
}

async function codesOf({ store }: World, entries: readonly Entry[]): Promise<Map<string, AlertCode>> {
  const ids = new Set(entries.flatMap(({ data }) => ('alertId' in data ? [data.alertId] : [])));
  if (ids.size === 0) return new Map();
  const alerts = await store.get('alerts', [...ids]);
  return new Map(alerts.flatMap((alert) => (alert ? [[alert.id, alert.data.code]] : [])));
}

function ownItem({ groupId: _, expireAt: __, ...entry }: ActivityEntry): ActivityItem {
  return { ...entry, alertId: null, code: null };
}

function changeItem(entry: AuditEntry, codes: Map<string, AlertCode>): ActivityItem {
  const { entryId, deviceId, at, who, action, from, to, why, alertId } = entry;
  const code = codes.get(alertId) ?? null;
  const summary = `${code ?? 'Alert'}: ${action}${why ? ` (${why})` : ''}`;
  return { entryId, deviceId, at, kind: 'alert', who, summary, alertId, code, detail: { action, from, to, why } };
}
