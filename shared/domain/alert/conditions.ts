import type { Condition } from './conditions/condition.ts';
import { configurationConditions } from './conditions/configuration.ts';
import { connectivityConditions } from './conditions/connectivity.ts';
import { resourceConditions } from './conditions/resource.ts';
import { securityConditions } from './conditions/security.ts';

/** Every condition that opens an alert, in order of its code. */
export const conditions: readonly Condition[] = [
  ...connectivityConditions,
  ...securityConditions,
  ...configurationConditions,
  ...resourceConditions,
];
