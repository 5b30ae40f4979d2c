import type { Message } from '../decide/notice.ts';
import type { Journal } from '../memory/journal.ts';
import type { Log } from '../process/log.ts';
import type { BrokerConnection } from './broker-connection.ts';

export type Publisher = {
  /**
   * Call it after something was appended to the journal. Starts to send, unless a run or its wait after a failure is in
   * progress: that run sends the new messages too.
   */
  wake: () => void;
  /** Sends a message once the journal is empty. It waits in memory only, and a later offer replaces it. */
  offer: (message: Message) => void;
  /**
   * Waits until the messages of the entry in progress are acknowledged or fail, at most 15 s each, and closes the
   * connection. The other entries stay on disk.
   */
  stop: () => Promise<void>;
  lastPublishedAt: () => string | null;
};

export type PublisherParts = {
  journal: Pick<Journal<object>, 'next' | 'acknowledge' | 'queueLength'>;
  connect: () => Promise<BrokerConnection>;
  log: Log;
  /** Present instant, ISO 8601. */
  now: () => string;
  /** 0 (inclusive) to 1 (exclusive). */
  random: () => number;
};

const firstDelayMs = 1_000;
const longestDelayMs = 60_000;

/**
 * Wait before the next attempt to reach the broker, milliseconds. The maximum doubles from 1 s to 60 s, and the wait is
 * a random part of it, at least half, so that a fleet which lost its broker does not reconnect at the same moment.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(full / 2 + (full / 2) * random);
}

/**
 * Sends the journal's messages in order, one at a time, each until the broker has acknowledged it. The connection is opened when there is
 * something to send and closed afterwards, so that an idle guardian costs the broker nothing.
 */
export function createPublisher(parts: PublisherParts): Publisher {
  const { journal, log, now, random } = parts;
  const pause = createPause();
  let isStopped = false;
  let running: Promise<void> | null = null;
  let lastPublishedAt: string | null = null;
  let offered: Message | null = null;

  const onSent = () => {
    lastPublishedAt = now();
    return !isStopped;
  };
  const takeOffered = () => {
    const message = offered;
    offered = null;
    return message;
  };
  const giveBack = (message: Message) => {
    offered ??= message;
  };
  const isOwing = () => !isStopped && (journal.queueLength() > 0 || offered !== null);
  const run = async () => {
    let failures = 0;
    while (isOwing()) {
      const { sent, error } = await sendOutbox(parts, onSent, { takeOffered, giveBack });
      failures = error === null || sent > 0 ? 0 : failures + 1;
      if (sent > 0) log('alerts.published', { entries: sent, queueLength: journal.queueLength() });
      if (error === null) continue;
      const delayMs = reconnectDelayMs(Math.max(1, failures), random());
      log('alerts.delayed', { error, delayMs, queueLength: journal.queueLength() }, 'WARNING');
      await pause.wait(delayMs);
    }
  };
  const start = () => {
    running = run().finally(() => {
      running = null;
      // Otherwise a message appended while the last loop ended would wait for the next alert.
      if (isOwing()) start();
    });
  };

  return {
    wake() {
      if (!isStopped && !running) start();
    },
    offer(message) {
      offered = message;
      if (!isStopped && !running) start();
    },
    async stop() {
      isStopped = true;
      pause.end();
      await running;
    },
    lastPublishedAt: () => lastPublishedAt,
  };
}

/**
 * Sends over one connection until it fails or nothing is left.
 * @param onSent called after each entry; returns whether to continue
 */
async function sendOutbox(
  { journal, connect }: PublisherParts,
  onSent: () => boolean,
  { takeOffered, giveBack }: { takeOffered: () => Message | null; giveBack: (message: Message) => void },
): Promise<{ sent: number; error: string | null }> {
  let connection: BrokerConnection | null = null;
  let sent = 0;
  try {
    connection = await connect();
    for (let entry = journal.next(); entry !== null; entry = journal.next()) {
      for (const message of entry.messages) await connection.publish(message);
      journal.acknowledge(entry.sequence);
      sent += 1;
      if (!onSent()) return { sent, error: null };
    }
    for (let message = takeOffered(); message !== null; message = takeOffered()) {
      try {
        await connection.publish(message);
      } catch (error) {
        giveBack(message);
        throw error;
      }
    }
    return { sent, error: null };
  } catch (error) {
    return { sent, error: (error as Error).message };
  } finally {
    connection?.close();
  }
}

/** A wait that can be ended early. */
function createPause() {
  let end = () => {};
  return {
    wait: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}
