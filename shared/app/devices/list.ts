import { toWireDevice } from '../../domain/device/view.ts';
import type { DevicesQuery, Device as WireDevice } from '../../schema/device/device.ts';
import { visibleGroups } from '../alerts/list.ts';
import type { Bearer } from '../bearer.ts';
import { cut, defaultPageSize, listKey, type PageTokens } from '../paging/paging.ts';
import type { Filter, World } from '../ports.ts';

/**
 * Lists devices in order of their id. `q` is the beginning of an id.
 * @throws AppError `invalid-request` for a foreign page token
 */
export async function listDevices(
  world: World,
  bearer: Bearer,
  query: DevicesQuery,
  tokens: PageTokens,
): Promise<{ devices: WireDevice[]; nextPageToken?: string }> {
  const key = listKey('devices', query, bearer.groups);
  const after = query.pageToken === undefined ? undefined : tokens.open(key, query.pageToken);
  const groups = visibleGroups(query.groupId, bearer.groups);
  if (groups?.length === 0) return { devices: [] };
  const where: Filter<'devices'>[] = [];
  if (groups) where.push({ field: 'groupId', is: 'in', value: groups });
  if (query.online !== undefined) where.push({ field: 'isOnline', is: '==', value: query.online });
  if (query.q)
    where.push(
      { field: 'deviceId', is: '>=', value: query.q },
      { field: 'deviceId', is: '<', value: `${query.q}\uf8ff` },
    );
  const pageSize = query.pageSize ?? defaultPageSize;
  const found = await world.store.find({
    in: 'devices',
    where,
    orderBy: [['deviceId', 'asc']],
    limit: pageSize + 1,
    ...(after ? { after } : {}),
  });
  const { items, next } = cut(found, pageSize, ({ data, id }) => [data.deviceId, id]);
  const devices = items.map(({ data }) => toWireDevice(data));
  return next ? { devices, nextPageToken: tokens.seal(key, next) } : { devices };
}
