import type { Instant } from './time.ts';

/** A detection as it is kept, known by its session id. */
export type DetectionRecord = {
  detectionId: string;
  sessionId: string;
  deviceId: string;
  groupId: string;
  /** When the device saw it. */
  detectedAt: Instant;
  receivedAt: Instant;
  /** The payload that receivers get, byte for byte. */
  body: string;
  expireAt: Instant;
};
