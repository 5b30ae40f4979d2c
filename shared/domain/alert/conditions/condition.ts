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
  /** Thresholds of deterioration that it has passed, as texts. */
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
   * Whether it is known not to have held at an instant, so that what a person resolved then was not about what holds now. Absent or null: where
   * it does not hold now.
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
