import { toWireAlert } from '../../domain/alert/alert.ts';
import { toInstant } from '../../domain/time.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Alert, AlertsQuery } from '../../schema/alert/alert.ts';
import { alertCatalogue, alertCodes, alertStatuses } from '../../schema/vocabulary.ts';
import { type Bearer, maySee, visibleGroups } from '../bearer.ts';
import {
  type Choice,
  filtersOfChoices,
  findDeviceIds,
  listKey,
  type PageTokens,
  pageOfQuery,
} from '../paging/paging.ts';

import type { Filter, World } from '../ports.ts';

type AlertCounts = { active: number; acknowledged: number; escalated: number };
type AlertPage = { alerts: Alert[]; counts?: AlertCounts; nextPageToken?: string };

/**
 * Lists alerts by the given filters, newest first by default. Reads one record more than it shows, whatever the size of the fleet; the first page
 * also counts the open alerts by state.
 * @throws AppError `invalid-request` for the page token of another list or too many combined values
 */
export async function listAlerts(
  world: Pick<World, 'store'>,
  bearer: Bearer,
  query: AlertsQuery,
  tokens: PageTokens,
): Promise<AlertPage> {
  const key = listKey('alerts', query, bearer.groups);
  const sought = await withoutSearch(world, bearer, query);
  const where = sought && alertFiltersOf(sought, bearer);
  const orderBy = orderOf(query);
  const { items, next } = await pageOfQuery(
    world,
    { tokens, key, page: query },
    where && { in: 'alerts', where, orderBy },
  );
  const counts = query.pageToken === undefined ? { counts: await openCounts(world, sought, bearer) } : {};
  return { alerts: items.map(({ data }) => toWireAlert(data)), ...counts, ...next };
}

/** @throws AppError `invalid-request` for a range of time in the order of urgency, which the store cannot serve together */
function orderOf({
  orderBy,
  since,
  until,
}: AlertsQuery): [field: 'urgency' | 'timestamp', direction: 'asc' | 'desc'][] {
  if (orderBy !== 'urgency desc') return [['timestamp', orderBy === 'timestamp asc' ? 'asc' : 'desc']];
  if (since === undefined && until === undefined) return [['urgency', 'asc']];
  const detail = 'cannot be combined with `since` or `until` in the order of urgency';
  throw new AppError('invalid-request', `?orderBy ${detail}.`, { errors: [{ pointer: '?orderBy', detail }] });
}

/** The number of open alerts that match the filters, by state. */
async function openCounts(
  { store }: Pick<World, 'store'>,
  query: AlertsQuery | null,
  bearer: Bearer,
): Promise<AlertCounts> {
  const count = async (status: keyof AlertCounts) => {
    const where = query && alertFiltersOf({ ...query, status: [status] }, bearer);
    return where ? store.count({ in: 'alerts', where }) : 0;
  };
  const [active, acknowledged, escalated] = await Promise.all([
    count('active'),
    count('acknowledged'),
    count('escalated'),
  ]);
  return { active, acknowledged, escalated };
}

/**
 * Lists the alerts of one device.
 * @throws AppError `not-found` for a device that is unknown or never had an alert in a group of the bearer's while it belongs to another
 */
export async function listDeviceAlerts(
  world: Pick<World, 'store'>,
  bearer: Bearer,
  deviceId: string,
  query: AlertsQuery,
  tokens: PageTokens,
): Promise<AlertPage> {
  const found = await world.store.getMany({ devices: [deviceId], tombstones: [deviceId] });
  // A device that was decommissioned keeps its alerts.
  const known = found.devices[0]?.data ?? found.tombstones[0]?.data;
  const isHere = known !== undefined && maySee(bearer, known.groupId);
  if (!isHere && !(await hasAlerts(world, bearer, deviceId))) throw notFound(`device ${deviceId}`);
  return listAlerts(world, bearer, { ...query, deviceId: [deviceId] }, tokens);
}

/** Whether a bearer has alerts of a device, for example of the time in which it belonged to one of the bearer's groups. */
async function hasAlerts({ store }: Pick<World, 'store'>, bearer: Bearer, deviceId: string): Promise<boolean> {
  const where = alertFiltersOf({ status: ['all'], deviceId: [deviceId] }, bearer);
  const found = where && (await store.find({ in: 'alerts', where, orderBy: [['timestamp', 'desc']], limit: 1 }));
  return found !== null && found.length > 0;
}

/** The query with its `q` replaced by the codes or devices that it finds. Null: it finds none. */
export async function withoutSearch(
  world: Pick<World, 'store'>,
  bearer: Bearer,
  { q, ...query }: AlertsQuery,
): Promise<AlertsQuery | null> {
  if (q === undefined) return query;
  const codes = alertCodes.filter((code) => q.includes('_') && code.startsWith(q.trim().toUpperCase()));
  if (codes.length > 0) return withBoth(query, 'code', codes);
  return withBoth(query, 'deviceId', await findDeviceIds(world, bearer, query.groupId, q));
}

/** The values that are both requested and found. Null: there are none. */
function withBoth<Member extends 'code' | 'deviceId'>(
  query: AlertsQuery,
  member: Member,
  found: NonNullable<AlertsQuery[Member]>,
): AlertsQuery | null {
  const asked: readonly string[] | undefined = query[member];
  const both = asked ? found.filter((each) => asked.includes(each)) : found;
  return both.length === 0 ? null : { ...query, [member]: both };
}

/** The filters of a query. Null: the bearer may see nothing that matches. */
export function alertFiltersOf(
  query: AlertsQuery,
  { groups: allowed }: Pick<Bearer, 'groups'>,
): Filter<'alerts'>[] | null {
  const groups = visibleGroups(query.groupId, allowed);
  if (groups?.length === 0) return null;
  const choices: Choice<'alerts'>[] = [
    ...statusChoice(query.status ?? ['open']),
    ['severity', query.severity],
    ['code', codesOf(query)],
    ['deviceId', query.deviceId],
    ['incidentId', query.incidentId],
    ['site', query.site],
    ['groupId', groups ?? undefined],
    ['priority', query.priority],
  ];
  const filters = filtersOfChoices(choices);
  if (query.snoozed !== undefined) filters.push({ field: 'isSnoozed', is: '==', value: query.snoozed });
  if (query.maintenance !== undefined) filters.push({ field: 'isMaintained', is: '==', value: query.maintenance });
  if (query.since) filters.push({ field: 'timestamp', is: '>=', value: toInstant(query.since) });
  if (query.until) filters.push({ field: 'timestamp', is: '<', value: toInstant(query.until) });
  return filters;
}

/** The requested codes, from `code` and `category`. Filtering by category itself would need another index. */
function codesOf({ code, category }: AlertsQuery): readonly string[] | undefined {
  if (!category) return code;
  const named = alertCodes.filter((each) => (category as readonly string[]).includes(alertCatalogue[each].category));
  return code ? named.filter((each) => code.includes(each)) : named;
}

/** The filter for a status. `all` needs none. `open`, or all open states, compare `isOpen` with one value. */
export function statusChoice(status: readonly string[]): ['status' | 'isOpen', readonly unknown[]][] {
  const wanted = new Set(
    status.flatMap((name) => (name === 'open' ? ['active', 'acknowledged', 'escalated'] : [name])),
  );
  if (wanted.has('all') || alertStatuses.every((name) => wanted.has(name))) return [];
  if (wanted.size === 3 && !wanted.has('resolved')) return [['isOpen', [true]]];
  return [['status', [...wanted]]];
}
