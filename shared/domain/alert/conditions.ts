import type { Condition } from './conditions/condition.ts';
import { configurationConditions } from './conditions/configuration.ts';
import { connectivityConditions } from './conditions/connectivity.ts';
import { resourceConditions } from './conditions/resource.ts';
import { securityConditions } from './conditions/security.ts';

/** Every condition that opens an alert, in the order of the alert catalogue. Informational alerts have none: `informational.ts` opens them. */
export const conditions: readonly Condition[] = [
  ...connectivityConditions,
  ...securityConditions,
  ...configurationConditions,
  ...resourceConditions,
];
