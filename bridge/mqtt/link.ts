import type { Log } from '../process/log.ts';
import type { Counters } from '../process/metrics.ts';
import { type BrokerOptions, type Ended, openSession, type Received, type Session } from './session.ts';
import { createTakeOverWatch } from './take-over.ts';

export type LinkHandlers = {
  /**
   * The broker has accepted a connection. Returns what is called with each message of it.
   * @param isResumed the broker has kept the session, and sends again what was not acknowledged
   */
  onAccepted(acknowledge: (messageId: number) => boolean, isResumed: boolean): (message: Received) => void;
  /** Another client took the session. The link has ended, and does not connect again. */
  onTakenOver(): void;
};

export type Link = {
  /** Why the bridge hears nothing at present. Null: it is subscribed. */
  readonly problem: string | null;
  /** Stops reading, also on later connections, and reads on. */
  pause(): void;
  resume(): void;
  /** Disconnects in good order, and does not connect again. */
  stop(): void;
};

const reconnectMs = { first: 500, longest: 30_000 };

/** Keeps a connection to the broker, and says in one line for each reason that it cannot. */
export function startLink(
  options: BrokerOptions,
  topics: readonly string[],
  handlers: LinkHandlers,
  log: Log,
  metrics: Counters,
): Link {
  const names = { broker: addressOf(options.url), clientId: options.clientId };
  const isTaken = createTakeOverWatch();
  let session: Session | null = null;
  let problem: string | null = 'it was not asked yet';
  let waitMs = reconnectMs.first;
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let isStopped = false;
  let readyAt: number | null = null;

  const onReady = () => {
    problem = null;
    waitMs = reconnectMs.first;
    readyAt = Date.now();
    metrics.set('watchpost_bridge_connected', 1);
    metrics.add('watchpost_bridge_connections_total');
    log.info('broker.connected', names);
  };
  const onEnd = (ended: Ended) => {
    const before = problem;
    const stoodFrom = readyAt;
    [session, readyAt] = [null, null];
    metrics.set('watchpost_bridge_connected', 0);
    if (isStopped) return;
    problem = ended.detail;
    if (isTaken(ended, stoodFrom, Date.now())) {
      isStopped = true;
      metrics.add('watchpost_bridge_taken_over_total');
      log.error('bridge.taken-over', { ...names, reason: problem });
      return handlers.onTakenOver();
    }
    if (problem !== before) log.error('broker.away', { ...names, reason: problem });
    // By chance a little earlier or later, so that bridges do not come back all at once.
    timer = setTimeout(connect, waitMs * (0.75 + Math.random() / 2));
    waitMs = Math.min(waitMs * 2, reconnectMs.longest);
  };
  const connect = () => {
    let hear: (message: Received) => void = () => {};
    const onAccepted = (isResumed: boolean) => {
      hear = handlers.onAccepted(opened.acknowledge, isResumed);
    };
    const opened = openSession(options, topics, { onAccepted, onReady, onEnd, onMessage: (message) => hear(message) });
    session = opened;
    if (isPaused) opened.pause();
  };
  connect();
  return {
    get problem() {
      return problem;
    },
    pause() {
      isPaused = true;
      session?.pause();
    },
    resume() {
      isPaused = false;
      session?.resume();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      session?.end();
    },
  };
}

/** An address without its account and password. */
export function addressOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}
