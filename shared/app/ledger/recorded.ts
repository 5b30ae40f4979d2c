import type { Device } from '../../domain/device/device.ts';
import { reservedDeviceId } from '../../domain/ids.ts';
import type { LedgerHead } from '../../domain/ledger/entry.ts';
import { longestEntryMs } from '../../domain/ledger/entry.ts';
import { leftAt, recordedIn } from '../../domain/ledger/of-group.ts';
import { explained } from '../../domain/ledger/planned.ts';
import { serviceRecorded } from '../../domain/ledger/service.ts';
import type { RecordedSpan } from '../../domain/sight/intervals.ts';
import { earliest, type Instant, plus } from '../../domain/time.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import type { Stored, World } from '../ports.ts';
import { loadExplanations, noticedAfterMs } from './explanations.ts';
import { type TrailPart, trailOfDevice, trailOfService } from './trail.ts';

/**
 * The content of a chain's next entry. `isBehind`: more time can be recorded already; `isMore`: more is to come soon, a long trail or the outcome of
 * what was sent before the device left the group; `isOver`: nothing more is to come, because it has left.
 */
export type ChainState = {
  recorded: RecordedSpan | null;
  entered: TrailPart | null;
  isBehind: boolean;
  isMore: boolean;
  isOver: boolean;
};

/** What is known of each chain up to the horizon. Chains of removed devices are left out. */
export async function recordedOf(
  world: World,
  heads: readonly Stored<'ledgerHeads'>[],
  horizon: Instant,
): Promise<Map<string, ChainState>> {
  const devices = await world.store.get(
    'devices',
    heads.map(({ data }) => data.deviceId),
  );
  const given = await loadExplanations(world, heads, horizon);
  const timeOf = ({ groupId, to: from }: LedgerHead, device: Device | null, until: Instant) => {
    if (groupId === null) return serviceRecorded(from, until, given.blind, noticedAfterMs(world));
    // The maintenance windows of the group apply that the record is for.
    const subject = device && { ...device, groupId };
    return (
      subject &&
      recordedIn(device, groupId, { from, horizon: until }, world.waits, (intervals) =>
        explained(intervals, subject, given, until),
      )
    );
  };
  const trailOf = (head: LedgerHead, device: Device | null) =>
    device === null ? trailOfService(world, head) : trailOfDevice(world, head, device);
  const known = new Map<string, ChainState>();
  await sideBySide([...heads.entries()], async ([position, { id, data: head }]) => {
    const device = devices[position]?.data ?? null;
    if (!device && id !== reservedDeviceId) return;
    const until = earliest([horizon, plus(head.to, longestEntryMs)]) ?? horizon;
    const recorded = timeOf(head, device, until);
    const entered = recorded && (await trailOf(head, device));
    const left = device && head.groupId !== null ? leftAt(device, head.groupId) : null;
    const isOver = left !== null && isAllRecorded(left, recorded?.to ?? head.to, entered);
    const isMore = entered?.isMore || (left !== null && !isOver);
    known.set(id, { recorded, entered, isBehind: until < horizon && !isOver, isMore, isOver });
  });
  return known;
}

/** Whether a chain has recorded all that was before its device left, and the outcome of all that was sent. */
function isAllRecorded(left: Instant, recordedTo: Instant, trail: TrailPart | null): boolean {
  if (!trail || trail.isMore || trail.entered.pending.length > 0) return false;
  return recordedTo >= left && trail.entered.to > left;
}
