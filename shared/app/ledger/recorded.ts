import type { Device } from '../../domain/device/device.ts';
import { reservedDeviceId } from '../../domain/ids.ts';
import { longestEntryMs } from '../../domain/ledger/entry.ts';
import { derive, type Recorded } from '../../domain/ledger/intervals.ts';
import { explained } from '../../domain/ledger/planned.ts';
import { serviceRecorded } from '../../domain/ledger/service.ts';
import { rememberedOf } from '../../domain/sight/sightings.ts';
import { earliest, type Instant, plus } from '../../domain/time.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import type { Stored, World } from '../ports.ts';
import { loadExplanations, noticedAfterMs } from './explanations.ts';
import { type Entered, trailOfDevice, trailOfService } from './trail.ts';

/** The content of a chain's next entry. `isBehind`: more time can be recorded already; `isMore`: its trail has more lines than one entry holds. */
export type Known = { recorded: Recorded | null; entered: Entered | null; isBehind: boolean; isMore: boolean };

/** What is known of each chain up to the horizon. Chains of removed devices are left out. */
export async function recordedOf(
  world: World,
  heads: readonly Stored<'ledgerHeads'>[],
  horizon: Instant,
): Promise<Map<string, Known>> {
  const devices = await world.store.get(
    'devices',
    heads.map(({ id }) => id),
  );
  const given = await loadExplanations(world, heads, horizon);
  const timeOf = (id: string, from: Instant, device: Device | null, until: Instant) => {
    if (id === reservedDeviceId) return serviceRecorded(from, until, given.blind, noticedAfterMs(world));
    const recorded = device && derive({ ...device, sightings: rememberedOf(device) }, from, until, world.waits);
    return device && recorded && { ...recorded, intervals: explained(recorded.intervals, device, given, until) };
  };
  const known = new Map<string, Known>();
  await sideBySide([...heads.entries()], async ([position, { id, data: head }]) => {
    const device = devices[position]?.data ?? null;
    if (!device && id !== reservedDeviceId) return;
    const until = earliest([horizon, plus(head.to, longestEntryMs)]) ?? horizon;
    const recorded = timeOf(id, head.to, device, until);
    const read = id === reservedDeviceId ? trailOfService : trailOfDevice;
    const entered = recorded && (await read(world, head));
    known.set(id, { recorded, entered, isBehind: until < horizon, isMore: entered?.isMore ?? false });
  });
  return known;
}
