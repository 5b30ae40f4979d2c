import type { Report } from '../schema/report.ts';
import { absorb } from './absorb.ts';
import type { Device } from './device.ts';
import type { Waits } from './limits.ts';
import { type AlertOrder, reconcile } from './reconcile.ts';
import { type Instant, msBetween, plus } from './time.ts';

/** What a report or a due time does to a device. `isWorthWriting`: whether anything changed beyond a sign of life. */
export type DeviceDecision = { device: Device; orders: AlertOrder[]; isStale: boolean; isWorthWriting: boolean };

/** Decides what a report does: its facts are put to the device's, and its conditions held against the open alerts. */
export function decideReport(before: Device, report: Report, waits: Waits): DeviceDecision {
  const now = report.receivedAt;
  const absorbed = absorb(before, report);
  const causeId = causeOf(report);
  const { device, orders } = reconcile(absorbed.device, { id: causeId, fresh: absorbed.fresh }, now, waits);
  const decided = { ...device, silentAt: device.isOnline ? silenceAfter(device, waits) : null };
  return {
    device: decided,
    orders,
    isStale: absorbed.isStale,
    isWorthWriting: orders.length > 0 || isWorthWriting(before, decided, waits),
  };
}

/** Decides what the passing of time alone does. */
export function decideDue(before: Device, now: Instant, waits: Waits): DeviceDecision {
  const { device, orders } = reconcile(before, { id: `due ${before.dueAt ?? now}`, fresh: [] }, now, waits);
  return { device, orders, isStale: false, isWorthWriting: orders.length > 0 || device.dueAt !== before.dueAt };
}

/** The same report delivered or sent again is the same cause. */
function causeOf(report: Report): string {
  const { bootId, seq } = report.body as { bootId?: string; seq?: number };
  return bootId !== undefined && seq !== undefined ? `${bootId} ${seq}` : report.messageId;
}

/** Never early: a report that changed nothing may have come up to `lastSeenCoarse` after the last one written. */
function silenceAfter(device: Device, waits: Waits): Instant {
  return plus(device.lastSeenAt, waits.connectionLost + 2 * waits.reportPeriod + waits.lastSeenCoarse);
}

/**
 * A report that only shows that the device is alive need not be written each time: `lastSeenAt` is coarse. One that comes right
 * behind another is written all the same, since in a burst a late one may follow and must find its place.
 */
function isWorthWriting(before: Device, after: Device, waits: Waits): boolean {
  const sinceWritten = msBetween(before.lastSeenAt, after.lastSeenAt);
  if (sinceWritten >= waits.lastSeenCoarse) return true;
  if (sinceWritten >= waits.burst) return !isAlike(before, after);
  return JSON.stringify(before) !== JSON.stringify(after);
}

/** Whether two states differ by no more than readings and times of sight. */
function isAlike(a: Device, b: Device): boolean {
  return JSON.stringify(lasting(a)) === JSON.stringify(lasting(b));
}

function lasting({ lastSeenAt: _1, silentAt: _2, measures: _3, newest: _4, lastLate: _5, ...rest }: Device) {
  return rest;
}
