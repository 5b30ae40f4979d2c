import type { Partition } from '../../shared/domain/sight/partitions.ts';
import type { MqttMessage } from '../mqtt/session.ts';
import type { Log } from '../process/log.ts';
import type { Counters } from '../process/metrics.ts';
import { createAckOrder } from './ack-order.ts';
import { createBudget } from './budget.ts';
import { type BridgeMessage, isOfPartition, longestData, toBridgeMessage } from './message.ts';

export type ForwarderOptions = {
  publish: (message: BridgeMessage) => Promise<void>;
  /** The part of the devices that this bridge forwards. */
  partition: Partition;
  /** The most bytes that are published at once. Beyond it nothing is read. */
  mostBytes: number;
  /** Messages on this topic say how many the broker has dropped. Null: it does not say. */
  droppedTopic: string | null;
  pause: () => void;
  resume: () => void;
};

export type Forwarder = {
  /** A connection stands. Returns what is called with each of its messages. */
  accepted(acknowledge: (messageId: number) => boolean, isResumed: boolean): (message: MqttMessage) => void;
  /** Resolves when nothing is being published. */
  settled(): Promise<void>;
};

/** What a message costs in memory beside its topic and payload, bytes. */
const overhead = 1024;

/** A message of the broker that is not acknowledged yet. */
type PendingMessage = { topic: string; payload: Buffer; published: Promise<void> };

/** Publishes each message, and acknowledges it in the order received when Pub/Sub has it. */
export function createForwarder(options: ForwarderOptions, log: Log, metrics: Counters): Forwarder {
  const { forward, settled } = createForwarding(options, log, metrics);
  /** By the broker's id of the message. They outlive a connection, because the broker sends them again on the next one. */
  const open = new Map<number, PendingMessage>();
  return {
    settled,
    accepted(acknowledge, isResumed) {
      // A new session uses the ids again, for other messages.
      if (!isResumed) open.clear();
      const order = createAckOrder((messageId) => {
        if (!acknowledge(messageId)) return;
        open.delete(messageId);
        metrics.add('watchpost_bridge_acknowledged_total');
      });
      return (message) => {
        metrics.add('watchpost_bridge_received_total');
        const { messageId, topic, payload } = message;
        const isDone = order.received(messageId);
        const known = messageId === null ? undefined : open.get(messageId);
        const isRepeat = known !== undefined && known.topic === topic && known.payload.equals(payload);
        if (isRepeat) metrics.add('watchpost_bridge_repeated_total');
        const published = isRepeat ? known.published : forward(message);
        if (messageId !== null) open.set(messageId, { topic, payload, published });
        void published.then(isDone);
      };
    },
  };
}

/** Publishes messages within the budget. */
function createForwarding(options: ForwarderOptions, log: Log, metrics: Counters) {
  const budget = createBudget(options.mostBytes, {
    onFull: () => {
      metrics.set('watchpost_bridge_waiting', 1);
      options.pause();
    },
    onFree: () => {
      metrics.set('watchpost_bridge_waiting', 0);
      options.resume();
    },
  });
  const noteDropped = createDroppedWatch(log, metrics);
  const inFlight = new Set<Promise<void>>();
  const measure = () => {
    metrics.set('watchpost_bridge_in_flight_messages', budget.messages);
    metrics.set('watchpost_bridge_in_flight_bytes', budget.bytes);
  };
  const publish = async (message: BridgeMessage, topic: string) => {
    try {
      await options.publish(message);
      metrics.add('watchpost_bridge_forwarded_total');
    } catch (error) {
      metrics.add('watchpost_bridge_refused_total');
      log.error('message.refused', { topic: topic.slice(0, 200), reason: (error as Error).message });
    }
  };
  const forward = async ({ topic, payload, isRetained }: MqttMessage): Promise<void> => {
    if (topic === options.droppedTopic) return noteDropped(Number(payload.toString()));
    const message = toBridgeMessage(topic, payload, isRetained, options.partition);
    if (!message) return metrics.add('watchpost_bridge_ignored_total');
    if (!isOfPartition(topic, options.partition)) return metrics.add('watchpost_bridge_other_partition_total');
    if (payload.length > longestData) metrics.add('watchpost_bridge_cut_total');
    const size = payload.length + topic.length + overhead;
    budget.take(size);
    const publishing = publish(message, topic);
    inFlight.add(publishing);
    measure();
    await publishing;
    inFlight.delete(publishing);
    budget.release(size);
    measure();
  };
  return { forward, settled: async () => void (await Promise.all(inFlight)) };
}

/** Says in a line that the broker has dropped more messages than it had the last time it said so. */
function createDroppedWatch(log: Log, metrics: Counters): (count: number) => void {
  let before: number | null = null;
  return (count) => {
    if (!Number.isFinite(count)) return;
    if (before !== null && count > before) log.error('broker.dropped', { messages: count - before });
    before = count;
    metrics.set('watchpost_bridge_broker_dropped_messages', count);
  };
}
