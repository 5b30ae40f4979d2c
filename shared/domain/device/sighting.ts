import { v5 as uuidv5 } from 'uuid';
import type { Fault } from '../../errors.ts';
import type { Report } from '../../schema/device/report.ts';
import type { Waits } from '../limits.ts';
import { earlier, earliest, type Instant, latest, msBetween } from '../time.ts';
import type { Device } from './device.ts';

/** Maximum number of reasons in `unreadable` of a device. */
const reasonsKept = 16;

/**
 * The device after a report. What it sends itself shows that it is alive at the time of publication. So does a birth message, but the
 * broker may have retained it for long. A last will comes from the broker, and a guardian is another process.
 */
export function withSighting(device: Device, report: Report): Device {
  const { receivedAt, kind, isLeftover = false } = report;
  const registeredAt = earliest([device.registeredAt, receivedAt]) ?? receivedAt;
  const groupSince = device.formerGroups.length === 0 ? earlier(device.groupSince, receivedAt) : device.groupSince;
  const registered = { ...device, registeredAt, groupSince };
  const isGuardians = kind === 'guardian' || (kind === 'event' && isOfGuardian(report.body.type));
  if (isLeftover || isGuardians || (kind === 'connection' && report.body.status === 'offline')) return registered;
  return seenAt(registered, receivedAt, kind !== 'connection');
}

/** Whether an event is one that a guardian publishes on the topic of its camera. */
function isOfGuardian(type: string): boolean {
  return type.startsWith('guardian_') || type === 'configuration_restored';
}

/** The device after a message of its own that was published at `at`. */
export function seenAt(device: Device, at: Instant, isProofOfLife: boolean): Device {
  const isNews = device.lastSeenAt === null || at > device.lastSeenAt;
  return {
    ...device,
    lastSeenAt: latest(device.lastSeenAt, at),
    aliveAt: isProofOfLife ? latest(device.aliveAt, at) : device.aliveAt,
    silentSince: isNews ? null : device.silentSince,
  };
}

/**
 * Whether the age of a message is unknown: it was retained and carries no time, so it contributes no facts. An event counts only once, so a
 * retained event is ignored too.
 */
export function isOfUnknownAge({ isLeftover, kind, body }: Report): boolean {
  if (!isLeftover) return false;
  if (kind === 'status') return body.timestamp === undefined;
  return kind === 'connection' ? body.connectedAt === undefined : kind === 'event';
}

const faultNamespace = '7d0c4f61-9f0e-5b52-8d1a-43b7e6f2c905';

/** The key that counts devices of one model and firmware whose reports cannot be read for the same reason. */
export function faultKeyOf({ model, firmware }: Pick<Device, 'model' | 'firmware'>, reason: string): string {
  return uuidv5(JSON.stringify([model, firmware, reason]), faultNamespace);
}

/** The keys of all lasting faults of a device. A fault that was not reported again for a long time before the newest one counts as fixed. */
export function withFaultKeys(device: Device, waits: Waits): Device {
  const unreadableAt = device.unreadable.reduce<Instant | null>((newest, { at }) => latest(newest, at), null);
  if (unreadableAt === null) return device;
  const lasting = device.unreadable.filter(({ at }) => msBetween(at, unreadableAt) <= waits.unreadableHeld);
  return { ...device, unreadableAt, faultKeys: lasting.map(({ reason }) => faultKeyOf(device, reason)).toSorted() };
}

/** The faults of a message that must be recorded now: each reason once per device and hour. Handling the same message again gives the same faults. */
export function withFaults(
  device: Device,
  { faults = [], receivedAt, messageId }: { faults?: readonly Fault[]; receivedAt: Instant; messageId: string },
  waits: Waits,
): { device: Device; isNews: boolean } {
  const reasons = faults.map(({ pointer, detail }) => `${pointer} ${detail}`.slice(0, 200));
  const isRecorded = (reason: string) =>
    device.unreadable.some(
      (known) => known.reason === reason && msBetween(known.at, receivedAt) < waits.unreadableWindow,
    );
  const fresh = [...new Set(reasons)].filter((reason) => !isRecorded(reason));
  const isRepeat = device.unreadable.some((known) => known.messageId === messageId);
  if (fresh.length === 0) return { device, isNews: isRepeat };
  const others = device.unreadable.filter(({ reason }) => !fresh.includes(reason));
  const unreadable = [...others, ...fresh.map((reason) => ({ reason, at: receivedAt, messageId }))].slice(-reasonsKept);
  return { device: { ...device, unreadable }, isNews: true };
}
