import { AppError } from '../../errors.ts';
import type { Operation } from '../../schema/routes.ts';

/** Limits the requests and streams of each subject. Every instance of the function counts only its own. */
export type Limits = {
  /**
   * Counts a request.
   * @param operation null: a message of a protocol that calls no operation
   * @throws AppError `too-many-requests`
   */
  take(subject: string, operation: Operation | null): void;
  /**
   * Counts a visit to a link's page, by address and by link.
   * @throws AppError `too-many-requests`
   */
  takeLink(address: string, token: string): void;
  /**
   * Counts a visit to a link that does not exist. Guesses are counted apart, so that they do not keep others at the same address from their
   * links.
   * @throws AppError `too-many-requests`
   */
  takeGuess(address: string): void;
  /**
   * Counts a stream until the returned function is called.
   * @throws AppError `too-many-requests`
   */
  openStream(subject: string): () => void;
  /**
   * Counts a call that waits for events until the returned function is called. The console's streams have places of their own.
   * @throws AppError `too-many-requests`
   */
  awaitEvents(subject: string): () => void;
};

/** Requests per minute on average, and the size of a burst. */
type Rate = { perMinute: number; atOnce: number };

/** Operations that read many records or send requests to others. */
const expensiveOperations: ReadonlySet<Operation> = new Set<Operation>([
  'previewRule',
  'previewMaintenanceWindow',
  'explainAlert',
  'explainWebhook',
  'getTrends',
  'getMetrics',
  'replayWebhook',
  'getAvailability',
  'getProof',
  // Each call sends a request to an address that may belong to anybody.
  'challengeWebhook',
  'testWebhook',
  'redeliver',
]);
/** The share of a minute's requests that may be expensive: 30 of 600. */
const expensiveShare = 1 / 20;
/** The share of a minute's requests that may come in one burst: 100 of 600. */
const burstShare = 1 / 6;
/** Visits a minute to each link, and guesses of links from each address. */
const linksPerMinute = 30;
const mostStreams = 4;
/** A stream that ends frees its place. A refused stream should try again after this time, seconds. */
const streamRetrySeconds = 10;
/** Subjects that are remembered. The subject without requests for the longest time is forgotten first. */
const mostSubjects = 10_000;
const minuteMs = 60_000;

/** @param elapsedMs a monotonic clock */
export function createLimits(elapsedMs: () => number, requestsPerMinute: number): Limits {
  const atOnce = Math.max(1, Math.floor(requestsPerMinute * burstShare));
  const requests = createBuckets({ perMinute: requestsPerMinute, atOnce }, elapsedMs);
  const mostReads = Math.max(1, Math.floor(requestsPerMinute * expensiveShare));
  const reads = createBuckets({ perMinute: mostReads, atOnce: mostReads }, elapsedMs);
  const links = createBuckets({ perMinute: linksPerMinute, atOnce: linksPerMinute }, elapsedMs);
  const guesses = createBuckets({ perMinute: linksPerMinute, atOnce: linksPerMinute }, elapsedMs);
  const visits = createBuckets({ perMinute: requestsPerMinute, atOnce }, elapsedMs);
  return {
    take(subject, operation) {
      refuseUnless(requests(subject), `${requestsPerMinute} requests a minute, ${atOnce} at once`);
      if (operation !== null && expensiveOperations.has(operation))
        refuseUnless(reads(subject), `${mostReads} expensive reads a minute`);
    },
    takeLink(address, token) {
      refuseUnless(visits(address), `${requestsPerMinute} looks a minute, ${atOnce} at once`);
      refuseUnless(links(token), `${linksPerMinute} looks a minute`);
    },
    takeGuess(address) {
      refuseUnless(guesses(address), `${linksPerMinute} unknown links a minute`);
    },
    openStream: createPlaces('streams'),
    awaitEvents: createPlaces('calls that wait for events'),
  };
}

/** Places of a subject for something that lasts. */
function createPlaces(what: string): (subject: string) => () => void {
  const taken = new Map<string, number>();
  return (subject) => {
    const open = taken.get(subject) ?? 0;
    if (open >= mostStreams) throw refused(streamRetrySeconds, `${mostStreams} ${what}`);
    taken.set(subject, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (taken.get(subject) ?? 1) - 1;
      if (left > 0) taken.set(subject, left);
      else taken.delete(subject);
    };
  };
}

/** Token buckets by subject. @returns how long to wait, milliseconds; 0: the request is accepted */
function createBuckets({ perMinute, atOnce }: Rate, elapsedMs: () => number): (subject: string) => number {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const perMs = perMinute / minuteMs;
  return (subject) => {
    const at = elapsedMs();
    const known = buckets.get(subject);
    const tokens = known ? Math.min(atOnce, known.tokens + (at - known.at) * perMs) : atOnce;
    const isTaken = tokens >= 1;
    // The order of the map is that of the last use.
    buckets.delete(subject);
    buckets.set(subject, { tokens: isTaken ? tokens - 1 : tokens, at });
    if (buckets.size > mostSubjects) buckets.delete(buckets.keys().next().value ?? subject);
    return isTaken ? 0 : (1 - tokens) / perMs;
  };
}

function refuseUnless(waitMs: number, allowed: string): void {
  if (waitMs > 0) throw refused(Math.ceil(waitMs / 1000), allowed);
}

function refused(seconds: number, allowed: string): AppError {
  return new AppError('too-many-requests', `A subject may have ${allowed}: try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
