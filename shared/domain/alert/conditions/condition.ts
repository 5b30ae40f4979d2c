import type { AlertContext } from '../../../schema/alert/alert.ts';
import type { AlertCode } from '../../../schema/vocabulary.ts';
import type { FactName } from '../../device/absorb.ts';
import type { Device } from '../../device/device.ts';
import type { Waits } from '../../limits.ts';
import type { Instant } from '../../time.ts';

/** The text and context that an operator sees for a condition that holds. */
export type Finding = {
  message: string;
  context: AlertContext;
  /** Signs of deterioration, as texts: thresholds that it has passed, or the host that an attempt named. A new one means that it got worse. */
  marks?: string[];
};

/** One condition of the catalogue as a function of the facts of a device and the time. */
export type Condition = {
  code: AlertCode;
  /** Reports that carry this fact are sightings of the condition. */
  fact?: FactName;
  /** Returns the finding while the condition holds, else null. `horizon`: no report that was published before it is missing. */
  holds: (device: Device, now: Instant, waits: Waits, horizon: Instant) => Finding | null;
  /** Instants at which it may begin or end because time passes. */
  changesAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /** Instants at which it may begin or end because a report stays away. They are compared with the horizon, not with the clock. */
  absentAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /**
   * Called for a code whose last alert a person resolved, at `at`. True: the condition did not hold then, so what holds now is new and may open an
   * alert. False: what holds now may be what the person resolved. Absent or null: new only after a moment without the condition.
   */
  heldNotAt?: (device: Device, at: Instant, waits: Waits) => boolean | null;
  /** This condition ends, as `superseded`, while the named other condition holds. */
  supersededBy?: AlertCode;
  /**
   * The condition is an event, not a state: only a person ends it, only a new event raises it again, and each sighting is recorded in the
   * trail.
   */
  endsByHandOnly?: boolean;
};
