import type { Device } from '../../domain/device/device.ts';
import { headIdOf } from '../../domain/ledger/entry.ts';
import type { AvailabilityQuery } from '../../schema/ledger/report.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import type { Stored, World } from '../ports.ts';

/** What a report needs of a camera. */
export type Camera = Pick<Device, 'deviceId' | 'name' | 'site' | 'groupId' | 'patience'>;

const pageSize = 1000;

/** The requested cameras that the bearer may see. */
export async function camerasOf(
  { store }: Pick<World, 'store'>,
  bearer: Bearer,
  query: AvailabilityQuery,
): Promise<Map<string, Camera>> {
  const groups = visibleGroups(query.groupId, bearer.groups);
  const cameras = new Map<string, Camera>();
  const devices =
    query.deviceId === undefined ? devicesIn(store, groups) : await store.get('devices', [query.deviceId]);
  for await (const device of devices) {
    if (!device || (groups !== null && !groups.includes(device.data.groupId))) continue;
    const { deviceId, name, site, groupId, patience } = device.data;
    cameras.set(deviceId, { deviceId, name, site, groupId, patience });
  }
  return cameras;
}

/** The devices of these groups, page by page. Null: of all groups. */
async function* devicesIn(
  store: World['store'],
  groups: readonly string[] | null,
): AsyncGenerator<Stored<'devices'>, void> {
  if (groups?.length === 0) return;
  const where = groups ? [{ field: 'groupId' as const, is: 'in' as const, value: groups }] : [];
  for (let last: string | null = null; ; ) {
    const after: { after?: unknown[] } = last === null ? {} : { after: [last, last] };
    const page: Stored<'devices'>[] = await store.find({
      in: 'devices',
      where,
      orderBy: [['deviceId', 'asc']],
      limit: pageSize,
      ...after,
    });
    yield* page;
    last = page.at(-1)?.id ?? null;
    if (page.length < pageSize) return;
  }
}

/** Whether the ledger has recorded a whole period of these cameras. Those that report only changes are recorded up to the last of them. */
export async function isRecordedUntil(
  world: Pick<World, 'store'>,
  bearer: Bearer,
  query: AvailabilityQuery,
): Promise<boolean> {
  const cameras = [...(await camerasOf(world, bearer, query)).values()];
  const ids = cameras.filter(({ patience }) => patience.silenceSeconds !== null);
  for (let first = 0; first < ids.length; first += pageSize) {
    const part = ids.slice(first, first + pageSize).map(({ deviceId, groupId }) => headIdOf(deviceId, groupId));
    const heads = await world.store.get('ledgerHeads', part);
    if (heads.some((head) => head !== null && head.data.to < query.to)) return false;
  }
  return true;
}
