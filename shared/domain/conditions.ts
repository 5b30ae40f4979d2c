import type { AlertCode, AlertContext } from '../schema/alert.ts';
import { connectivityConditions } from './conditions/connectivity.ts';
import { resourceConditions } from './conditions/resource.ts';
import type { Device } from './device.ts';
import type { Waits } from './limits.ts';
import type { MeasureName } from './measure.ts';
import type { Instant } from './time.ts';

/** What an operator is told of a condition that holds. */
export type Finding = { message: string; context: AlertContext };

/** One condition of the catalogue as a function of the facts of a device and the time. */
export type Condition = {
  code: AlertCode;
  /** The measure whose readings are sightings of it. */
  measure?: MeasureName;
  /** What there is to say while it holds, else null. */
  holds: (device: Device, now: Instant, waits: Waits) => Finding | null;
  /** Instants at which it may begin or end by time alone. */
  changesAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /** Ended by this other condition while that one holds, and then `superseded`. */
  supersededBy?: AlertCode;
};

/** Every condition that opens an alert, in order of its code. */
export const conditions: readonly Condition[] = [...connectivityConditions, ...resourceConditions];
