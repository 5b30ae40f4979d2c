import type { Configuration } from './fields.ts';

/** Why the camera could not be read or written. `refused`: it understood and said no, so another value may do. */
export type FailureReason =
  | 'unauthorized'
  | 'timeout'
  | 'unreachable'
  | 'refused'
  | 'internal'
  | 'unreadable'
  | 'unsupported';

export type Failure = { status: 'failed'; reason: FailureReason; detail: string };

/** The camera's MQTT configuration as it stands, and whether its client is connected with it. */
export type Reading = { status: 'read'; configuration: Configuration; isConnected: boolean };

/** What the guardian needs of a camera's local management interface. Failures are outcomes; neither method throws. */
export type ManagementInterface = {
  /** Reads at least the fields that golden names. */
  read: (golden: Configuration) => Promise<Reading | Failure>;
  /** Writes the named fields over what the camera has, as one whole configuration, and activates the client. */
  write: (golden: Configuration) => Promise<{ status: 'written' } | Failure>;
};
