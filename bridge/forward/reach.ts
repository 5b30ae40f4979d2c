import type { Log } from '../process/log.ts';
import type { Counters } from '../process/metrics.ts';

export type Reach = {
  /** Calls `send`, at once while the target answers. While it does not, one caller tries again at a time, and the others wait. */
  attempt(send: () => Promise<void>): Promise<void>;
  /** Why the target cannot be reached. Null: it can. */
  readonly problem: string | null;
};

const retryMs = { first: 200, longest: 5000 };
/** The status of an answer about the message itself: the target was reached. */
const invalidArgument = 3;

/** Whether Pub/Sub answered that it will never take this message. */
export function isRefused(error: unknown): boolean {
  return (error as { code?: number } | null)?.code === invalidArgument;
}

/** Watches whether a target answers, so that an outage costs one attempt now and then, and one line, however many messages wait. */
export function createReach(target: string, log: Log, metrics: Counters): Reach {
  let problem: string | null = null;
  let awaySince = 0;
  let waitMs = retryMs.first;
  let probe: Promise<void> | null = null;
  metrics.set('watchpost_bridge_pubsub_reachable', 1);

  const answered = () => {
    if (problem === null) return;
    log.info('pubsub.back', { target, awaySeconds: Math.round((Date.now() - awaySince) / 1000) });
    problem = null;
    waitMs = retryMs.first;
    metrics.set('watchpost_bridge_pubsub_reachable', 1);
  };
  const failed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    metrics.add('watchpost_bridge_publish_failures_total');
    metrics.set('watchpost_bridge_pubsub_reachable', 0);
    if (problem === null) awaySince = Date.now();
    if (problem !== reason) log.error('pubsub.away', { target, reason });
    problem = reason;
  };
  const call = async (send: () => Promise<void>) => {
    try {
      await send();
      answered();
    } catch (error) {
      if (isRefused(error)) answered();
      else failed(error);
      throw error;
    }
  };
  const tryAgain = async (send: () => Promise<void>) => {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 2, retryMs.longest);
    await call(send);
  };
  return {
    async attempt(send) {
      while (problem !== null) {
        if (probe) await probe;
        else {
          const trying = tryAgain(send);
          probe = trying.then(
            () => {},
            () => {},
          );
          void probe.then(() => {
            probe = null;
          });
          return trying;
        }
      }
      return call(send);
    },
    get problem() {
      return problem;
    },
  };
}
