import type { DeliveryChannel } from '../../schema/channels.ts';
import type { Waits } from '../limits.ts';
import { type Instant, msBetween, plus } from '../time.ts';
import type { Attempt, ErrorClass, SendOutcome } from './delivery.ts';
import type { EndpointHealth, Webhook } from './webhook.ts';

/** Results of an attempt that received nothing at all, whether the target or our own network is the cause. */
const silentClasses: readonly (ErrorClass | null)[] = [
  'timeout',
  'dns_error',
  'connection_refused',
  'connection_reset',
];

/** Whether no byte of an answer came. */
export function isSilence({
  statusCode,
  errorClass,
  isSilent = false,
}: Pick<SendOutcome, 'statusCode' | 'errorClass' | 'isSilent'>): boolean {
  return isSilent || (statusCode === null && silentClasses.includes(errorClass));
}

/**
 * Whether an attempt shows that our outbound connection works, because something outside answered. A mail server does not count, since it
 * may be inside our own network.
 */
export function provesWayOut({ statusCode, errorClass }: SendOutcome, channel: DeliveryChannel): boolean {
  return channel !== 'email' && (statusCode !== null || errorClass === null || errorClass === 'tls_error');
}

/** Failures in a row that open the circuit breaker of an endpoint. */
const failuresThatOpen = 5;
/** Different events that failed for good, after which an endpoint is said to fail. */
const eventsThatTell = 3;
/** Minimum number of failures in a row before an endpoint is disabled. */
const failuresThatDisable = 20;

export function soundHealth(webhookId: string): EndpointHealth {
  return {
    webhookId,
    failuresInRow: 0,
    failingSince: null,
    timesOpened: 0,
    openUntil: null,
    failedEvents: [],
    toldAt: null,
  };
}

/**
 * Health after a failure. An open circuit opens again only by an attempt made after its pause. The pause doubles each time, up to the
 * longest.
 */
export function afterFailure(health: EndpointHealth, startedAt: Instant, now: Instant, waits: Waits): EndpointHealth {
  const failuresInRow = health.failuresInRow + 1;
  const counted = { ...health, failuresInRow, failingSince: health.failingSince ?? startedAt };
  const isProbe = health.openUntil === null || startedAt >= health.openUntil;
  if (failuresInRow < failuresThatOpen || !isProbe) return counted;
  const timesOpened = health.timesOpened + 1;
  return { ...counted, timesOpened, openUntil: plus(now, pauseOf(timesOpened, waits)) };
}

function pauseOf(timesOpened: number, { breakerFirst, breakerLongest }: Waits): number {
  return Math.min(breakerFirst * 2 ** Math.min(timesOpened - 1, 20), breakerLongest);
}

/** The health with an event that failed for good. However often an event is sent anew, it counts once. */
export function withFailedEvent(health: EndpointHealth, event: string): EndpointHealth {
  const { failedEvents } = health;
  if (failedEvents.includes(event)) return health;
  return { ...health, failedEvents: [...failedEvents, event].slice(0, eventsThatTell) };
}

/** Whether people are to hear that an endpoint fails: events were lost on it, or it failed again after a pause, while they wait. */
export function isFailingForSure({ failedEvents, timesOpened }: EndpointHealth): boolean {
  return failedEvents.length >= eventsThatTell || timesOpened > 1;
}

/** The health of an endpoint that a person enables again: what was told is over only with the next success. */
export function forgiven({ webhookId, toldAt }: EndpointHealth): EndpointHealth {
  return { ...soundHealth(webhookId), toldAt };
}

/** Whether nothing is sent to an endpoint now because its circuit is open. */
export function isPaused({ openUntil }: EndpointHealth, now: Instant): boolean {
  return openUntil !== null && now < openUntil;
}

/** Whether deliveries go out, wait for the end of a pause, or go one at a time until the endpoint answers again. */
export function circuitOf(health: EndpointHealth, now: Instant): 'closed' | 'open' | 'testing' {
  if (isPaused(health, now)) return 'open';
  return flightLimit(health) === 1 ? 'testing' : 'closed';
}

/** Attempts by which an endpoint is judged. */
export const recentAttempts = 10;
/** So many of them that failed in the last hour make it a failing one, also if the newest succeeded. */
const failuresOfFailing = 3;
const hourMs = 60 * 60_000;

/**
 * What is said of an endpoint, in one word, from its attempts.
 * @param attempts the newest ones, newest first
 */
export function stateOfEndpoint(
  { isEnabled, challenge }: Pick<Webhook, 'isEnabled' | 'challenge'>,
  health: EndpointHealth,
  attempts: readonly Attempt[],
  now: Instant,
): 'healthy' | 'failing' | 'paused' | 'pending' | 'disabled' {
  if (!isEnabled) return 'disabled';
  if (challenge !== null) return 'pending';
  if (isPaused(health, now)) return 'paused';
  const failed = attempts.filter(({ errorClass, at }) => errorClass !== null && at > plus(now, -hourMs));
  const isLastFailed = (attempts[0]?.errorClass ?? null) !== null;
  return isLastFailed || failed.length >= failuresOfFailing ? 'failing' : 'healthy';
}

/**
 * When a delivery that met an open circuit tries again. Null: the circuit is closed. One waiting delivery tests the endpoint. The others
 * follow, spread over half a pause, since all at once they would use the capacity that other endpoints need.
 * @param share from 0 to 1, different for each delivery
 */
export function returnAt(health: EndpointHealth, share: number, now: Instant, waits: Waits): Instant | null {
  const { openUntil, timesOpened } = health;
  if (openUntil === null || !isPaused(health, now)) return null;
  return plus(openUntil, Math.round((share * pauseOf(timesOpened, waits)) / 2));
}

/**
 * The next try of a delivery that met the single test attempt after a pause. Null: no test is in progress. It comes after that attempt must be over,
 * spread like the deliveries that the pause postponed.
 * @param longestMs the longest time that an attempt takes
 */
export function behindTrial(
  { failuresInRow, timesOpened }: EndpointHealth,
  share: number,
  now: Instant,
  longestMs: number,
  waits: Waits,
): Instant | null {
  if (failuresInRow < failuresThatOpen) return null;
  return plus(now, longestMs + Math.round((share * pauseOf(timesOpened, waits)) / 2));
}

/** Attempts to one endpoint at a time. After the pause of a circuit a single attempt tests the endpoint; a success restores the full concurrency. */
export function flightLimit({ failuresInRow }: EndpointHealth): number {
  return failuresInRow >= failuresThatOpen ? 1 : 4;
}

/** Whether an endpoint has failed continuously for so long that it is disabled. */
export function isGivenUp({ failuresInRow, failingSince }: EndpointHealth, now: Instant, waits: Waits): boolean {
  return (
    failuresInRow >= failuresThatDisable &&
    failingSince !== null &&
    msBetween(failingSince, now) >= waits.endpointFailing
  );
}
