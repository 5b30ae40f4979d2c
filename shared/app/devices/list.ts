import type { Device } from '../../domain/device/device.ts';
import { stateOf, toWireDevice } from '../../domain/device/view.ts';
import { beginningLabel, hasWord, parentLabel, tagLabel } from '../../domain/registry/registry.ts';
import type { DevicesQuery, Device as WireDevice } from '../../schema/device/device.ts';
import { type DeviceState, deviceStates } from '../../schema/vocabulary.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { filtersOfChoices, listKey, type PageTokens, pageOfQuery, soughtWords } from '../paging/paging.ts';

import type { Filter, Reads } from '../ports.ts';
import { type SightReads, viewSight } from '../sight/sight.ts';

/** Pages that are searched for one answer where the store cannot apply all filters. */
const maxLooks = 20;

type DevicePage = { devices: WireDevice[]; nextPageToken?: string };

/**
 * Lists devices in order of their ids. A page may be shorter than requested although more follow: the store filters by one label, and the
 * other filters apply to its result.
 * @throws AppError `invalid-request` for the page token of another list or too many combined values
 */
export async function listDevices(
  world: Reads<'devices' | 'platform'> & SightReads,
  bearer: Bearer,
  query: DevicesQuery,
  tokens: PageTokens,
): Promise<DevicePage> {
  const key = listKey('devices', query, bearer.groups);
  const { state: sight, record } = await viewSight(world);
  const isBlind = sight === 'blind';
  const horizon = record?.horizonAt ?? null;
  const now = world.now();
  const states = wantedStates(query, isBlind);
  const labels = soughtLabels(query);
  const where = filtersOf(query, bearer, states, labels);
  const words = soughtWords(query.q);
  const isFound = (device: Device, state: DeviceState) =>
    states.has(state) &&
    labels.every((label) => device.labels.includes(label)) &&
    words.every((word) => hasWord(device, word));
  let page = query;
  for (let looks = 1; ; looks += 1) {
    const asked = { tokens, key, page };
    const { items, next } = await pageOfQuery(
      world,
      asked,
      where && { in: 'devices', where, orderBy: [['deviceId', 'asc']] },
    );
    const devices = items.flatMap(({ data }) => {
      const state = stateOf(data, isBlind, now);
      return isFound(data, state) ? [toWireDevice(data, state, horizon, world.waits)] : [];
    });
    const { nextPageToken } = next;
    if (devices.length > 0 || nextPageToken === undefined || looks === maxLooks) return { devices, ...next };
    page = { ...query, pageToken: nextPageToken };
  }
}

/** The requested states. While the platform is not blind, no device has an unknown state. */
function wantedStates({ state, online }: DevicesQuery, isBlind: boolean): Set<DeviceState> {
  const wanted = (state ?? deviceStates).filter((each) => online === undefined || (each === 'online') === online);
  return new Set(wanted.filter((each) => isBlind || each !== 'unknown'));
}

/** Labels that a device must have, the most selective first. */
function soughtLabels({ parent, tag, q }: DevicesQuery): string[] {
  return [
    ...(parent === undefined ? [] : [parentLabel(...parted(parent))]),
    ...soughtWords(q).map(beginningLabel),
    ...(tag === undefined ? [] : [tagLabel(...parted(tag))]),
  ];
}

function parted(text: string): [name: string, value: string] {
  const at = text.indexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The filters of a query. Null: nothing can match. */
function filtersOf(
  query: DevicesQuery,
  bearer: Bearer,
  states: ReadonlySet<DeviceState>,
  [label]: readonly string[],
): Filter<'devices'>[] | null {
  const groups = visibleGroups(query.groupId, bearer.groups);
  if (groups?.length === 0 || states.size === 0) return null;
  const filters = filtersOfChoices<'devices'>([
    ['groupId', groups ?? undefined],
    ['site', query.site],
    ['model', query.model],
    ['firmware', query.firmware],
  ]);
  const areAway = [...states].map((state) => state === 'offline' || state === 'never-seen');
  const [isAway] = areAway;
  if (areAway.every((each) => each === isAway)) filters.push({ field: 'isOnline', is: '==', value: !isAway });
  if (isAway && states.size === 1) filters.push({ field: 'wasHeard', is: '==', value: states.has('offline') });
  if (label !== undefined) filters.push({ field: 'labels', is: 'array-contains', value: label });
  return filters;
}
