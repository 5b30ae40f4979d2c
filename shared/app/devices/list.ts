import { stateOf, toWireDevice } from '../../domain/device/view.ts';
import type { DevicesQuery, Device as WireDevice } from '../../schema/device/device.ts';
import { type DeviceState, deviceStates } from '../../schema/vocabulary.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { listKey, type PageTokens, pageOfFiltered } from '../paging/paging.ts';
import type { Filter, Reads } from '../ports.ts';
import { type SightReads, viewSight } from '../sight/sight.ts';

/**
 * Lists devices in order of their id. `q` is the beginning of an id.
 * @throws AppError `invalid-request` for a foreign page token
 */
export async function listDevices(
  world: Reads<'devices' | 'platform'> & SightReads,
  bearer: Bearer,
  query: DevicesQuery,
  tokens: PageTokens,
): Promise<{ devices: WireDevice[]; nextPageToken?: string }> {
  const key = listKey('devices', query, bearer.groups);
  const groups = visibleGroups(query.groupId, bearer.groups);
  const where: Filter<'devices'>[] = [];
  if (groups) where.push({ field: 'groupId', is: 'in', value: groups });
  const isBlind = (await viewSight(world)).state === 'blind';
  const now = world.now();
  const wanted = wantedStates(query, isBlind);
  const marks = [...new Set(wanted.map((state) => state !== 'offline'))];
  if (marks.length === 1) where.push({ field: 'isOnline', is: '==', value: marks[0] });
  if (query.q)
    where.push(
      { field: 'deviceId', is: '>=', value: query.q },
      { field: 'deviceId', is: '<', value: `${query.q}\uf8ff` },
    );
  const { items, next } = await pageOfFiltered(
    world,
    { tokens, key, page: query },
    groups?.length === 0 || wanted.length === 0 ? null : { in: 'devices', where, orderBy: [['deviceId', 'asc']] },
    ({ data }) => wanted.includes(stateOf(data, isBlind, now)),
  );
  return { devices: items.map(({ data }) => toWireDevice(data, stateOf(data, isBlind, now))), ...next };
}

/** The states that are asked for and that there can be: what can be seen is never unknown. */
function wantedStates({ state, online }: DevicesQuery, isBlind: boolean): DeviceState[] {
  return deviceStates.filter(
    (each) =>
      (state === undefined || state.includes(each)) &&
      (online === undefined || online === (each === 'online')) &&
      (isBlind || each !== 'unknown'),
  );
}
