import type { Configuration } from './fields.ts';

/** Why the camera could not be read or written. `refused`: it understood the call and declined, so another value may succeed. */
export type FailureReason =
  | 'unauthorized'
  | 'timeout'
  | 'unreachable'
  | 'refused'
  | 'internal'
  | 'unreadable'
  | 'unsupported';

export type Failure = { status: 'failed'; reason: FailureReason; detail: string };

/** The camera's present MQTT configuration, and whether its client is connected. */
export type Reading = { status: 'read'; configuration: Configuration; isConnected: boolean };

/** What the guardian needs of a camera's local management interface. Failures are outcomes; neither method throws. */
export type ManagementInterface = {
  /** Reads at least the fields that golden names. */
  read: (golden: Configuration) => Promise<Reading | Failure>;
  /**
   * Writes the named fields over the camera's own as one complete configuration, and activates the client, or
   * deactivates it if golden requires that.
   */
  write: (golden: Configuration) => Promise<{ status: 'written' } | Failure>;
};
