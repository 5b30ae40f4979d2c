import type { Log } from '../process/log.ts';
import type { Counters } from '../process/metrics.ts';
import { type BrokerOptions, type MqttMessage, openSession, type Session, type SessionEnd } from './session.ts';
import { createTakeOverWatch } from './take-over.ts';

export type LinkHandlers = {
  /**
   * The broker has accepted a connection. Returns what is called with each message of it.
   * @param isResumed the broker has kept the session, and sends again what was not acknowledged
   */
  onAccepted(acknowledge: (messageId: number) => boolean, isResumed: boolean): (message: MqttMessage) => void;
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
  const state = createLinkState(options, log, metrics);
  let session: Session | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let isStopped = false;

  const onEnd = (ended: SessionEnd) => {
    session = null;
    if (isStopped) return;
    const { isTakenOver, waitMs } = state.ended(ended);
    if (!isTakenOver) {
      timer = setTimeout(connect, waitMs);
      return;
    }
    isStopped = true;
    handlers.onTakenOver();
  };
  const connect = () => {
    let hear: (message: MqttMessage) => void = () => {};
    const onAccepted = (isResumed: boolean) => {
      hear = handlers.onAccepted(opened.acknowledge, isResumed);
    };
    const onMessage = (message: MqttMessage) => hear(message);
    const opened = openSession(options, topics, { onAccepted, onReady: state.ready, onEnd, onMessage });
    session = opened;
    if (isPaused) opened.pause();
  };
  connect();
  return {
    get problem() {
      return state.problem;
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

/** What is known of the connection, and what is said about it. */
function createLinkState({ url, clientId }: BrokerOptions, log: Log, metrics: Counters) {
  const names = { broker: addressOf(url), clientId };
  const isTaken = createTakeOverWatch();
  let problem: string | null = 'it was not asked yet';
  let nextMs = reconnectMs.first;
  let readyAt: number | null = null;
  return {
    get problem() {
      return problem;
    },
    ready() {
      problem = null;
      nextMs = reconnectMs.first;
      readyAt = Date.now();
      metrics.set('watchpost_bridge_connected', 1);
      metrics.add('watchpost_bridge_connections_total');
      log.info('broker.connected', names);
    },
    ended(ended: SessionEnd): { isTakenOver: boolean; waitMs: number } {
      const isTakenOver = isTaken(ended, readyAt, Date.now());
      if (isTakenOver) {
        metrics.add('watchpost_bridge_taken_over_total');
        log.error('bridge.taken-over', { ...names, reason: ended.detail });
      } else if (ended.detail !== problem) log.error('broker.away', { ...names, reason: ended.detail });
      problem = ended.detail;
      readyAt = null;
      metrics.set('watchpost_bridge_connected', 0);
      // By chance a little earlier or later, so that bridges do not come back all at once.
      const waitMs = nextMs * (0.75 + Math.random() / 2);
      nextMs = Math.min(nextMs * 2, reconnectMs.longest);
      return { isTakenOver, waitMs };
    },
  };
}

/** An address without its account and password. */
export function addressOf({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}
