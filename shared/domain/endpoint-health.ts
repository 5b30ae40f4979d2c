import type { Waits } from './limits.ts';
import { type Instant, msBetween, plus } from './time.ts';
import type { EndpointHealth } from './webhook.ts';

/** Failures in a row that open the circuit of an endpoint. */
export const failuresThatOpen = 5;
/** Least number of failures in a row for which an endpoint is given up. */
const failuresThatDisable = 20;

export function soundHealth(webhookId: string): EndpointHealth {
  return { webhookId, failuresInRow: 0, failingSince: null, timesOpened: 0, openUntil: null };
}

/** Health after a failure. An open circuit opens again only by an attempt made after its pause: the pause doubles, up to the longest. */
export function afterFailure(health: EndpointHealth, startedAt: Instant, now: Instant, waits: Waits): EndpointHealth {
  const failuresInRow = health.failuresInRow + 1;
  const counted = { ...health, failuresInRow, failingSince: health.failingSince ?? startedAt };
  const isProbe = health.openUntil === null || startedAt >= health.openUntil;
  if (failuresInRow < failuresThatOpen || !isProbe) return counted;
  const pause = Math.min(waits.breakerFirst * 2 ** Math.min(health.timesOpened, 20), waits.breakerLongest);
  return { ...counted, timesOpened: health.timesOpened + 1, openUntil: plus(now, pause) };
}

export function isOpen({ openUntil }: EndpointHealth, now: Instant): boolean {
  return openUntil !== null && now < openUntil;
}

/** After a circuit's pause one attempt at a time tries the endpoint; a success gives it the full number again. */
export function flightLimit({ failuresInRow }: EndpointHealth): number {
  return failuresInRow >= failuresThatOpen ? 1 : 4;
}

/** Whether an endpoint has done nothing but fail for so long that it is disabled. */
export function isGivenUp({ failuresInRow, failingSince }: EndpointHealth, now: Instant, waits: Waits): boolean {
  return (
    failuresInRow >= failuresThatDisable &&
    failingSince !== null &&
    msBetween(failingSince, now) >= waits.endpointFailing
  );
}
