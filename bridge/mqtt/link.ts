import type { Log } from '../process/log.ts';
import type { Counters } from '../process/metrics.ts';
import { createDuelWatch } from './duel.ts';
import { type BrokerOptions, type Ended, openSession, type Received, type Session } from './session.ts';

export type LinkHandlers = {
  /**
   * The broker has accepted a connection. Returns what is called with each message of it.
   * @param isResumed the broker has kept the session, and sends again what was not acknowledged
   */
  onAccepted(acknowledge: (messageId: number) => void, isResumed: boolean): (message: Received) => void;
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
  const broker = addressOf(options.url);
  const { clientId } = options;
  const isDuel = createDuelWatch();
  let session: Session | null = null;
  let problem: string | null = 'it was not asked yet';
  let waitMs = reconnectMs.first;
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let isStopped = false;
  let readyAt = 0;

  const onTakenOver = (detail: string) => {
    isStopped = true;
    problem = detail;
    metrics.add('watchpost_bridge_taken_over_total');
    log.error('bridge.taken-over', { broker, clientId, reason: detail });
    handlers.onTakenOver();
  };
  const onEnd = ({ how, detail }: Ended) => {
    const wasReady = problem === null;
    session = null;
    metrics.set('watchpost_bridge_connected', 0);
    if (isStopped) return;
    if (how === 'taken-over') return onTakenOver(detail);
    if (how === 'closed' && wasReady && options.version === 4 && isDuel(readyAt, Date.now())) {
      return onTakenOver(`the broker closes each connection: another client seems to have the id ${clientId}`);
    }
    if (detail !== problem) log.error('broker.away', { broker, clientId, reason: detail });
    problem = detail;
    timer = setTimeout(connect, waitMs * (0.75 + Math.random() / 2));
    waitMs = Math.min(waitMs * 2, reconnectMs.longest);
  };
  const connect = () => {
    let hear: (message: Received) => void = () => {};
    const opened = openSession(options, topics, {
      onAccepted(isResumed) {
        hear = handlers.onAccepted(opened.acknowledge, isResumed);
      },
      onReady() {
        problem = null;
        waitMs = reconnectMs.first;
        readyAt = Date.now();
        metrics.set('watchpost_bridge_connected', 1);
        metrics.add('watchpost_bridge_connections_total');
        log.info('broker.connected', { broker, clientId });
      },
      onMessage: (message) => hear(message),
      onEnd,
    });
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
