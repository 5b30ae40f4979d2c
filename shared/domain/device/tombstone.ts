import type { Report } from '../../schema/device/report.ts';
import { retention } from '../limits.ts';
import { type Instant, msBetween, plus } from '../time.ts';
import { type Device, newDevice } from './device.ts';
import { stampOf } from './stamp.ts';

/** What is left of a device that was decommissioned, so that what is still on its way does not bring it back. */
export type Tombstone = {
  deviceId: string;
  /** Its last group: who saw it may still see what it was. */
  groupId: string;
  deletedAt: Instant;
  /** What people had set. */
  kept: Pick<Device, 'setByHand' | 'site' | 'parents' | 'tags' | 'coverage' | 'reporting'> &
    Partial<Pick<Device, 'name' | 'groupId'>>;
  /** Wakes are named by versions: a new life of the device goes on counting. */
  version: number;
  expireAt: Instant;
};

/** A report is later than the deletion if it was published this much after it, milliseconds. */
const settleMs = 60_000;

export function tombstoneOf(device: Device, now: Instant): Tombstone {
  const { deviceId, setByHand, name, groupId, site, parents, tags, coverage, reporting, version } = device;
  const kept = {
    ...{ setByHand, site, parents, tags, coverage, reporting },
    ...(setByHand.includes('name') ? { name } : {}),
    ...(setByHand.includes('groupId') ? { groupId } : {}),
  };
  return { deviceId, groupId, deletedAt: now, kept, version, expireAt: plus(now, retention.tombstone) };
}

/** A device at its first report. Null: this report registers nobody, or not one that was decommissioned. */
export function registeredBy(report: Report, tombstone: Tombstone | null): Device | null {
  const { deviceId, kind, receivedAt, isLeftover = false } = report;
  const isOffline = kind === 'connection' && report.body.status === 'offline';
  if (isOffline || isLeftover) return null;
  const device = newDevice(deviceId, receivedAt);
  if (tombstone === null) return device;
  if (kind !== 'status' && kind !== 'connection') return null;
  if (msBetween(tombstone.deletedAt, receivedAt) < settleMs) return null;
  const { deviceAt } = stampOf(report);
  if (deviceAt !== null && deviceAt <= tombstone.deletedAt) return null;
  return reborn(device, tombstone);
}

/** A device that is there again has what people had set, and goes on counting. */
export function reborn(device: Device, { kept, version }: Tombstone): Device {
  return { ...device, ...kept, version };
}
