import type { AlertContext } from '../../../schema/alert/alert.ts';
import type { AlertCode } from '../../../schema/vocabulary.ts';
import type { FactName } from '../../device/absorb.ts';
import type { Device } from '../../device/device.ts';
import type { Waits } from '../../limits.ts';
import type { Instant } from '../../time.ts';

/** What an operator is told of a condition that holds. */
export type Finding = {
  message: string;
  context: AlertContext;
  /** The steps to worse that it has reached, each in words. */
  marks?: string[];
};

/** One condition of the catalogue as a function of the facts of a device and the time. */
export type Condition = {
  code: AlertCode;
  /** The fact whose reports are sightings of it. */
  fact?: FactName;
  /** What there is to say while it holds, else null. `horizon`: nothing that was published up to then is missing. */
  holds: (device: Device, now: Instant, waits: Waits, horizon: Instant) => Finding | null;
  /** Instants at which it may begin or end by time alone. */
  changesAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /** Instants at which it may begin or end because no report came: what waits for an absence. */
  absentAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /** Ended by this other condition while that one holds, and then `superseded`. */
  supersededBy?: AlertCode;
  /** An incident: it ends by a person's hand alone, and then only what is new raises it again; each sighting is kept in its trail. */
  endsByHandOnly?: boolean;
};
