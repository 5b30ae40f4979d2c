import type { Detection, DetectionReport } from '../../schema/detection/detection.ts';
import { unassigned } from '../../schema/vocabulary.ts';
import { detectionIdOf, payloadVersion } from '../delivery/webhook-events.ts';
import type { Device } from '../device/device.ts';
import { recordIdOf } from '../event/event.ts';
import { retention } from '../limits.ts';
import { type Instant, plus, toInstant } from '../time.ts';

/** A detection as it is stored, identified by its device and session id. */
export type DetectionRecord = {
  detectionId: string;
  sessionId: string;
  deviceId: string;
  groupId: string;
  /** When the device saw it. */
  detectedAt: Instant;
  receivedAt: Instant;
  /** The record of its event, which has the payload exactly as receivers get it. */
  recordId: string;
  expireAt: Instant;
};

/**
 * The object in the frames bucket that a detection names. Null where it names none, or gives an address, which is passed on unchanged. We never sign
 * URLs for objects of other buckets.
 */
export function frameOf({ imageUrl, frame }: DetectionReport, framesBucket: string): string | null {
  const beginning = `gs://${framesBucket}/`;
  if (imageUrl?.startsWith(beginning)) return imageUrl.slice(beginning.length) || null;
  return imageUrl === undefined ? (frame ?? null) : null;
}

/**
 * Whether an object lies below the device's own prefix, and no reader of its address, however often he decodes it, can resolve it to another object:
 * no `..`, nothing percent-encoded, and no character that stands for one of these.
 */
export function isOwnFrame(object: string, deviceId: string): boolean {
  const [root, ...rest] = object.split('/');
  return root === deviceId && rest.length > 0 && rest.every((segment) => isPlain(segment.normalize('NFKC')));
}

function isPlain(segment: string): boolean {
  return !/^\.{0,2}$/.test(segment) && !/[/\\%\p{Cc}\p{Cf}\p{Cs}]/u.test(segment);
}

/**
 * The time from which frames of a device are its group's: since it came from another group, if frames of that time may still be kept. Null: no other
 * group had it.
 */
export function framesSince(
  { groupSince, formerGroups }: Pick<Device, 'groupSince' | 'formerGroups'>,
  now: Instant,
): Instant | null {
  const wasOfOthers = formerGroups.some(({ groupId }) => groupId !== unassigned);
  return wasOfOthers && plus(groupSince, retention.detection) > now ? groupSince : null;
}

/**
 * The payload of the contract. Members that the report omits come from the device record. The group always comes from the record, because
 * it decides who may see the detection; the report's group is used only where the record has none.
 */
export function completeDetection(
  report: DetectionReport,
  { deviceId, name, groupId }: Pick<Device, 'deviceId' | 'name' | 'groupId'>,
  imageUrl: string,
): Detection {
  const { version, timestamp, device, profile, skill, session, analysis } = report;
  const isGrouped = groupId !== unassigned;
  return {
    eventType: 'detection',
    version: version ?? payloadVersion,
    timestamp: toInstant(timestamp),
    device: {
      id: deviceId,
      name: device?.name ?? name,
      groupId: isGrouped ? groupId : (device?.groupId ?? groupId),
    },
    profile,
    skill,
    session,
    analysis,
    imageUrl,
  };
}

export function detectionRecord(detection: Detection, receivedAt: Instant): DetectionRecord {
  const { device, session, timestamp } = detection;
  return {
    detectionId: detectionIdOf(device.id, session.id),
    sessionId: session.id,
    deviceId: device.id,
    groupId: device.groupId,
    detectedAt: timestamp,
    receivedAt,
    recordId: recordIdOf({ type: 'detection', deviceId: device.id, eventId: session.id }),
    expireAt: plus(receivedAt, retention.detection),
  };
}
