import type { Received } from '../mqtt/session.ts';
import type { Log } from '../process/log.ts';
import type { Counters } from '../process/metrics.ts';
import { createAckOrder } from './ack-order.ts';
import { createBudget } from './budget.ts';
import { type BridgeMessage, longestData, toBridgeMessage } from './message.ts';

export type ForwarderOptions = {
  publish: (message: BridgeMessage) => Promise<void>;
  /** The most bytes that are published at once. Beyond it nothing is read. */
  mostBytes: number;
  /** Messages on this topic say how many the broker has dropped. Null: it does not say. */
  droppedTopic: string | null;
  pause: () => void;
  resume: () => void;
};

export type Forwarder = {
  /** A connection stands. Returns what is called with each of its messages. */
  accepted(acknowledge: (messageId: number) => void, isResumed: boolean): (message: Received) => void;
  /** Resolves when nothing is being published. */
  settled(): Promise<void>;
};

/** What a message costs in memory beside its topic and payload, bytes. */
const overhead = 1024;

/** A message of the broker that is not acknowledged yet. */
type Unacknowledged = { topic: string; payload: Buffer; published: Promise<void> };

/** Publishes each message, and acknowledges it in the order received when Pub/Sub has it. */
export function createForwarder(options: ForwarderOptions, log: Log, metrics: Counters): Forwarder {
  const { publish, mostBytes, droppedTopic, pause, resume } = options;
  const waits = (isFull: boolean) => metrics.set('watchpost_bridge_waiting', isFull ? 1 : 0);
  const budget = createBudget(mostBytes, {
    onFull: () => {
      waits(true);
      pause();
    },
    onFree: () => {
      waits(false);
      resume();
    },
  });
  /** By the broker's id of the message. They outlive a connection, because the broker sends them again on the next one. */
  const open = new Map<number, Unacknowledged>();
  const inFlight = new Set<Promise<void>>();
  let dropped: number | null = null;

  const noteDropped = (count: number) => {
    // What it dropped before we asked first was dropped from anybody's queue, perhaps long ago.
    if (dropped !== null && count > dropped) log.error('broker.dropped', { messages: count - dropped });
    dropped = count;
    metrics.set('watchpost_bridge_broker_dropped_messages', count);
  };

  const forward = ({ topic, payload, isRetained }: Received): Promise<void> => {
    if (topic === droppedTopic) {
      noteDropped(Number(payload.toString()));
      return Promise.resolve();
    }
    const message = toBridgeMessage(topic, payload, isRetained);
    if (!message) {
      metrics.add('watchpost_bridge_ignored_total');
      return Promise.resolve();
    }
    if (payload.length > longestData) metrics.add('watchpost_bridge_cut_total');
    const size = payload.length + topic.length + overhead;
    budget.take(size);
    const publishing = publish(message)
      .then(
        () => metrics.add('watchpost_bridge_forwarded_total'),
        (error: Error) => {
          metrics.add('watchpost_bridge_refused_total');
          log.error('message.refused', {
            topic: topic.slice(0, 200),
            sizeBytes: payload.length,
            reason: error.message,
          });
        },
      )
      .finally(() => {
        inFlight.delete(publishing);
        budget.release(size);
        gauge();
      });
    inFlight.add(publishing);
    gauge();
    return publishing;
  };
  const gauge = () => {
    metrics.set('watchpost_bridge_in_flight_messages', budget.messages);
    metrics.set('watchpost_bridge_in_flight_bytes', budget.bytes);
  };

  return {
    accepted(acknowledge, isResumed) {
      // A new session uses the ids again, for other messages.
      if (!isResumed) open.clear();
      const order = createAckOrder((messageId) => {
        open.delete(messageId);
        metrics.add('watchpost_bridge_acknowledged_total');
        acknowledge(messageId);
      });
      return (message) => {
        metrics.add('watchpost_bridge_received_total');
        const { messageId, topic, payload } = message;
        const isDone = order.received(messageId);
        if (messageId === null) return void forward(message);
        const known = open.get(messageId);
        const isRepeat = known?.topic === topic && known.payload.equals(payload);
        if (isRepeat) metrics.add('watchpost_bridge_repeated_total');
        const published = isRepeat ? known.published : forward(message);
        if (!isRepeat) open.set(messageId, { topic, payload, published });
        void published.then(isDone);
      };
    },
    settled: async () => void (await Promise.all(inFlight)),
  };
}
