import type { DeliveryChannel } from '../../schema/channels.ts';
import type { Channel } from '../../schema/vocabulary.ts';

/** A receiver that was notified of a change: at once by a delivery, or later by the digest of a window. */
export type Notified = {
  channel: DeliveryChannel;
  team: string | null;
  target: string;
  deliveryId: string | null;
  digestId: string | null;
};

export type NotNotifiedReason =
  | 'suppressed'
  | 'matrix'
  | 'rules'
  | 'no-contact'
  | 'snoozed'
  | 'maintenance'
  | 'held'
  | 'quiet-hours'
  | 'incident';
/** A channel that a change of an alert did not use, and why. */
export type NotNotified = { channel: Channel | null; team: string | null; reason: NotNotifiedReason; detail: string };
