import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { urgencyOf } from '../../../../shared/schema/alert/urgency.ts';
import type { Query } from '../../client/router.ts';

const open = new Set(['active', 'acknowledged', 'escalated']);
/** Members that must equal one of the filter's values. */
const plain = ['severity', 'code', 'category', 'groupId', 'deviceId', 'site', 'incidentId', 'priority'] as const;

/** What the list asks for: open alerts without those that people have snoozed, unless the filters say otherwise. */
export function askedOf(filters: Query): Query {
  const isOpenOnly = [filters['status'] ?? 'open'].flat().every((status) => status === 'open' || open.has(status));
  return filters['snoozed'] === undefined && isOpenOnly ? { ...filters, snoozed: 'false' } : filters;
}

/** Whether an alert matches the filters of a list. Null: only the service can decide. */
export function fits(alert: Alert, filters: Query): boolean | null {
  const valuesOf = (name: string) => [filters[name] ?? []].flat();
  const [statuses, snoozed] = [valuesOf('status'), valuesOf('snoozed')[0]];
  const wanted = statuses.length === 0 ? ['open'] : statuses;
  const isOfStatus = wanted.some((status) => status === 'all' || status === alert.status || isOpenAs(status, alert));
  const isSnoozed = alert.snoozedUntil !== null;
  if (!isOfStatus || (snoozed !== undefined && isSnoozed !== (snoozed === 'true'))) return false;
  const misses = plain.some((name) => {
    const values = valuesOf(name);
    return values.length > 0 && !values.includes(alert[name] ?? '');
  });
  if (misses) return false;
  return ['q', 'since', 'until', 'maintenance'].some((name) => valuesOf(name).length > 0) ? null : true;
}

function isOpenAs(status: string, alert: Alert): boolean {
  return status === 'open' && open.has(alert.status);
}

/**
 * Applies changes to a list: alerts in it are updated, alerts that no longer match are removed, and new ones are
 * inserted in order. If only the service can judge an alert, it is updated in the list but never inserted or removed.
 */
export function withChanges(
  list: readonly Alert[],
  changes: readonly Alert[],
  filters: Query,
  hasMore: boolean,
): readonly Alert[] {
  const latest = new Map(changes.map((alert) => [alert.alertId, alert]));
  const known = new Set(list.map(({ alertId }) => alertId));
  const kept = list.flatMap((alert) => {
    const changed = latest.get(alert.alertId);
    return changed === undefined ? [alert] : fits(changed, filters) === false ? [] : [changed];
  });
  const begun = [...latest.values()].filter((alert) => !known.has(alert.alertId) && fits(alert, filters) === true);
  if (begun.length === 0) return kept;
  const order = orderOf(String(filters['orderBy'] ?? ''));
  const last = list.at(-1);
  // An alert that sorts after the last loaded one comes with a later page.
  const inReach = begun.filter((alert) => !hasMore || !last || order(alert, last) < 0);
  return [...kept, ...inReach].toSorted(order);
}

/** The order in which the service lists alerts. */
export function orderOf(orderBy: string): (a: Alert, b: Alert) => number {
  const byTime = (a: Alert, b: Alert) => compare(a.timestamp, b.timestamp) || compare(a.alertId, b.alertId);
  if (orderBy === 'timestamp asc') return byTime;
  if (orderBy !== 'urgency desc') return (a, b) => -byTime(a, b);
  return (a, b) => compare(urgencyOf(a, a.priority), urgencyOf(b, b.priority)) || compare(a.alertId, b.alertId);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
