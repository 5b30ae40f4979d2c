import type { Report } from '../../schema/device/report.ts';
import { retention } from '../limits.ts';
import { type Instant, msBetween, plus } from '../time.ts';
import { type Device, newDevice } from './device.ts';
import { stampOf } from './measure.ts';

/** What is kept of a device that was decommissioned, so that messages still on their way do not register it again. */
export type Tombstone = {
  deviceId: string;
  /** Its last group, whose viewers may still see what the device was. */
  groupId: string;
  deletedAt: Instant;
  /** Members that people had set. */
  kept: Pick<Device, 'setByHand' | 'site' | 'parents' | 'tags' | 'coverage' | 'reporting'> &
    Partial<Pick<Device, 'name' | 'groupId'>>;
  /** Nothing of it is kept, and only a person can register it again. Absent: it was not erased. */
  isErased?: boolean;
  /** Wakes are named after versions, so a device that returns continues the count. */
  version: number;
  expireAt: Instant;
};

/** A report counts as later than the deletion if it was published this much after it, milliseconds. */
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

/** The tombstone of an erased device: its id and the fact that it existed. */
export function erasedTombstoneOf(device: Device, now: Instant): Tombstone {
  return withoutKept(tombstoneOf(device, now));
}

/** A tombstone that keeps nothing of its device. */
export function withoutKept(tombstone: Tombstone): Tombstone {
  const kept = { setByHand: [], site: null, parents: [], tags: {}, coverage: [], reporting: null };
  return { ...tombstone, kept, isErased: true };
}

/**
 * A device when its first report arrives. Null: this kind of report registers no device, or its tombstone does not allow it: the device was erased,
 * or the report is not certainly later than the deletion.
 */
export function registeredBy(report: Report, tombstone: Tombstone | null): Device | null {
  const { deviceId, kind, receivedAt, isLeftover = false } = report;
  const isOffline = kind === 'connection' && report.body.status === 'offline';
  if (isOffline || isLeftover) return null;
  const device = newDevice(deviceId, receivedAt);
  if (tombstone === null) return device;
  if (tombstone.isErased) return null;
  if (kind !== 'status' && kind !== 'connection') return null;
  if (msBetween(tombstone.deletedAt, receivedAt) < settleMs) return null;
  const { deviceAt } = stampOf(report);
  if (deviceAt !== null && deviceAt <= tombstone.deletedAt) return null;
  return reborn(device, tombstone);
}

/** A device that is registered again: it keeps what people had set and continues the count of versions. */
export function reborn(device: Device, { kept, version }: Tombstone): Device {
  return { ...device, ...kept, version };
}
