import type { AuditEntry } from '../../domain/alert/lifecycle.ts';
import type { ActivityEntry } from '../../domain/device/activity.ts';
import type { ActivityItem, ActivityQuery } from '../../schema/device/activity.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { listKey, type PageTokens, pageOf } from '../paging/paging.ts';
import type { Reads, Stored } from '../ports.ts';

/**
 * Lists the activity of a device and of its alerts, newest first. A removed device keeps its activity.
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function listActivity(
  world: Reads<'activity' | 'audit' | 'alerts'>,
  bearer: Bearer,
  deviceId: string,
  query: ActivityQuery,
  tokens: PageTokens,
): Promise<{ entries: ActivityItem[]; nextPageToken?: string }> {
  const key = listKey(`activity ${deviceId}`, query, bearer.groups);
  const groups = visibleGroups(undefined, bearer.groups);
  const where = [
    { field: 'deviceId' as const, is: '==' as const, value: deviceId },
    ...(groups ? [{ field: 'groupId' as const, is: 'in' as const, value: groups }] : []),
  ];
  const { items, next } = await pageOf<ActivityRecord>(
    { tokens, key, page: query },
    groups?.length === 0
      ? null
      : async (limit, after) => {
          const part = { where, orderBy: [['at', 'desc'] as ['at', 'desc']], limit, ...after };
          // Both lists have the same order, so a position in the merged list is a position in each of them.
          const [own, changes] = await Promise.all([
            world.store.find({ in: 'activity', ...part }),
            world.store.find({ in: 'audit', ...part }),
          ]);
          return [...own, ...changes].toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
        },
    ({ data, id }) => [data.at, id],
  );
  const codes = await codesOf(world, items);
  return { entries: items.map(({ data }) => ('kind' in data ? ownItem(data) : changeItem(data, codes))), ...next };
}

type ActivityRecord = Stored<'activity'> | Stored<'audit'>;

function keyOf({ data, id }: ActivityRecord): string {
  return `${data.at} ${id}`;
}

async function codesOf(
  { store }: Reads<'alerts'>,
  entries: readonly ActivityRecord[],
): Promise<Map<string, AlertCode>> {
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
