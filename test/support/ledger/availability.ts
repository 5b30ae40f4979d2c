import { reportAvailability } from '../../../shared/app/ledger/report.ts';
import { newDevice } from '../../../shared/domain/device/device.ts';
import type { Interval } from '../../../shared/domain/sight/intervals.ts';
import type { AvailabilityQuery } from '../../../shared/schema/ledger/report.ts';
import { ana } from '../records/alerts.ts';
import { at } from '../world/timeline.ts';
import { createTestWorld, type TestWorld } from '../world/world.ts';

const day = 86_400;
/** An interval in which a camera was certainly blind, in seconds since the start of the tests. */
export const blind = (from: number, to: number, given: Partial<Interval> = {}): Interval => ({
  ...{ state: 'blind', cause: 'lost', isOpen: false, planned: [] },
  ...{ begin: [at(from), at(from)], end: [at(to), at(to)] },
  ...given,
});
export type Entry = [deviceId: string, from: number, to: number, ...intervals: Interval[]];
type Place = { groupId?: string; site?: string };

/** A world with cameras, by default of the group north, and with entries of the ledger. */
export async function worldOf(cameras: Record<string, Place>, ...entries: Entry[]) {
  const world = createTestWorld();
  for (const [deviceId, place] of Object.entries(cameras)) {
    const data = { ...newDevice(deviceId, at(0)), groupId: 'north', name: `Camera ${deviceId}`, ...place };
    await world.store.commit([{ kind: 'create', in: 'devices', id: deviceId, data }]);
  }
  for (const [index, [deviceId, from, to, ...intervals]] of entries.entries()) {
    const entryId = `${deviceId}-${String(index).padStart(6, '0')}`;
    const entry = {
      entryId,
      deviceId,
      groupId: cameras[deviceId]?.groupId ?? 'north',
      n: index,
      index,
      from: at(from),
      to: at(to),
      body: JSON.stringify({ intervals }),
    };
    const data = { ...entry, recordedAt: at(to), expireAt: at(400 * day) };
    await world.store.commit([{ kind: 'create', in: 'ledgerEntries', id: entryId, data }]);
  }
  return world;
}
/** The availability report of the first day, unless `given` sets another period. */
export const ask = (world: TestWorld, given: Partial<AvailabilityQuery> = {}, bearer = ana) =>
  reportAvailability(world, 'the note', bearer, { from: at(0), to: at(day), ...given } as AvailabilityQuery);
