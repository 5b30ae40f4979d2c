import type { DeliveryChannel } from '../../schema/channels.ts';
import type { Channel } from '../../schema/vocabulary.ts';

/** Somebody whom a change of an alert notified: at once by a delivery, or with the digest of a window. */
export type Notified = {
  channel: DeliveryChannel;
  team: string | null;
  target: string;
  deliveryId: string | null;
  foldId: string | null;
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
