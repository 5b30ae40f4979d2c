import type { AlertContext } from '../../schema/alert/alert.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import type { FactName } from '../device/absorb.ts';
import type { Device } from '../device/device.ts';
import type { Waits } from '../limits.ts';
import type { Instant } from '../time.ts';
import { configurationConditions } from './conditions/configuration.ts';
import { connectivityConditions } from './conditions/connectivity.ts';
import { resourceConditions } from './conditions/resource.ts';
import { securityConditions } from './conditions/security.ts';

/** What an operator is told of a condition that holds. */
export type Finding = { message: string; context: AlertContext };

/** One condition of the catalogue as a function of the facts of a device and the time. */
export type Condition = {
  code: AlertCode;
  /** The fact whose reports are sightings of it. */
  fact?: FactName;
  /** What there is to say while it holds, else null. */
  holds: (device: Device, now: Instant, waits: Waits) => Finding | null;
  /** Instants at which it may begin or end by time alone. */
  changesAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /** Ended by this other condition while that one holds, and then `superseded`. */
  supersededBy?: AlertCode;
  /** An incident: it ends by a person's hand alone, and then only what is new raises it again. */
  endsByHandOnly?: boolean;
  /** How long nobody is told, since the condition may end as it should. */
  notifyGraceMs?: (waits: Waits) => number;
};

/** Every condition that opens an alert, in order of its code. */
export const conditions: readonly Condition[] = [
  ...connectivityConditions,
  ...securityConditions,
  ...configurationConditions,
  ...resourceConditions,
];
