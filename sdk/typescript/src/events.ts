import { passingProblem, type WatchpostError } from './problem.ts';
import type { RetryLimits, Runtime } from './retry.ts';
import type { AnswerTo, Schemas } from './types.ts';

/** Events in order, and the cursor after them. Store the cursor when all of them are handled. */
export type EventPage = AnswerTo<'listEvents'>;

export type EventsOptions = {
  /** Resumes after this cursor of an earlier run. `now`: only events from now on. Default: the oldest event that is kept. */
  after?: string;
  types?: Schemas['FeedEvent']['type'][];
  signal?: AbortSignal;
  /** Called when the feed could not be read, before the next attempt. */
  onBroken?: (error: WatchpostError) => void;
};

type Feed = {
  runtime: Runtime;
  retries: RetryLimits;
  read(query: Record<string, unknown>, signal: AbortSignal | undefined): Promise<EventPage>;
};

/** How long the service waits for the first event of a page, seconds. */
const waitSeconds = 20;
const firstPauseMs = 500;

/**
 * Follows the feed of events, page by page, and resumes after a broken connection: the cursor moves only when a complete page has arrived. Ends when
 * `signal` aborts.
 * @throws WatchpostError for a refusal
 */
export async function* eventsOf(feed: Feed, options: EventsOptions): AsyncGenerator<EventPage, void> {
  const { types, signal, onBroken } = options;
  let { after } = options;
  for (let failures = 0; !signal?.aborted; ) {
    // A feed that starts at `now` gets its cursor at once, without waiting. Events that come while the first answer is on its way are after that
    // cursor.
    const wait = after === 'now' ? 0 : waitSeconds;
    const query = { ...(after === undefined ? {} : { after }), ...(types ? { types } : {}), wait };
    try {
      const page = await feed.read(query, signal);
      failures = 0;
      yield page;
      after = page.cursor;
    } catch (error) {
      if (signal?.aborted) return;
      const problem = passingProblem(error);
      onBroken?.(problem);
      await feed.runtime.pause(pauseMs(feed, problem, failures), signal).catch(() => {});
      failures += 1;
    }
  }
}

/** How long to wait before the next attempt: longer after each failure, and at least as long as the service asks. */
function pauseMs({ runtime, retries }: Feed, { retryAfterMs }: WatchpostError, failures: number): number {
  const backoffMs = firstPauseMs * 2 ** Math.min(failures, 6) * (0.5 + runtime.random() / 2);
  return Math.min(Math.max(retryAfterMs ?? 0, backoffMs), retries.longestPauseMs);
}
