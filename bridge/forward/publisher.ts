import type { ClientConfig, PublishOptions, PubSub, Topic } from '@google-cloud/pubsub';
import type { Log } from '../process/log.ts';
import type { Counters } from '../process/metrics.ts';
import type { BridgeMessage } from './message.ts';
import { createReach, isRefused } from './reach.ts';

export type PublisherConfig = {
  projectId: string;
  topic: string;
  /** host:port of an emulator. Null: Pub/Sub itself, with the credentials of the environment. */
  emulator: string | null;
};

export type Publisher = {
  /** Resolves when Pub/Sub has the message, however long that takes. Rejects only a message that Pub/Sub will never take. */
  publish(message: BridgeMessage): Promise<void>;
  /** Why nothing can be published at present. Null: it can. */
  readonly problem: string | null;
  close(): Promise<void>;
};

type QueueItem = { message: BridgeMessage; resolve: () => void; reject: (error: Error) => void };

/** One attempt only: what is repeated, and when, is decided here, where the order of each key is known. */
const gaxOpts = { timeout: 10_000, retry: null };
/** Messages of one key that are published together. */
const mostTogether = 100;

/** Publishes with the official client, in order for each ordering key, until Pub/Sub has the message. */
export async function createPublisher(config: PublisherConfig, log: Log, metrics: Counters): Promise<Publisher> {
  const { PubSub: Client } = await import('@google-cloud/pubsub');
  const client = new Client(clientConfig(config));
  const batching = { maxMessages: mostTogether, maxMilliseconds: 2 };
  const topic = client.topic(config.topic, { messageOrdering: true, batching, gaxOpts } as PublishOptions);
  const isFollowed = config.emulator === null ? async () => {} : lookWhoFollows(topic);
  const reach = createReach(topic.name, log, metrics);
  const queues = new Map<string, QueueItem[]>();

  /** Takes out of the queue what Pub/Sub took: the first messages of the batch, because the client fails all behind a failed one. */
  const send = async (batch: readonly QueueItem[], queue: QueueItem[]) => {
    await isFollowed();
    const results = await Promise.allSettled(batch.map(({ message }) => topic.publishMessage(message)));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      queue.shift()?.resolve();
    }
  };
  /** Publishes what waits for one key, in its order. After a failure the first message is published again alone. */
  const drain = async (key: string, queue: QueueItem[]) => {
    let most = mostTogether;
    while (queue.length > 0) {
      const batch = queue.slice(0, most);
      try {
        await reach.attempt(() => send(batch, queue));
        most = mostTogether;
      } catch (error) {
        // The client refuses a key after a failure until it is resumed.
        if (key !== '') topic.resumePublishing(key);
        most = 1;
        if (isRefused(error) && batch.length === 1) queue.shift()?.reject(error as Error);
      }
    }
    queues.delete(key);
  };
  const publish = (message: BridgeMessage) =>
    new Promise<void>((resolve, reject) => {
      const key = message.orderingKey;
      const queue = queues.get(key);
      if (queue) return void queue.push({ message, resolve, reject });
      const started = [{ message, resolve, reject }];
      queues.set(key, started);
      // What arrives with it is published with it.
      setImmediate(() => void drain(key, started));
    });
  return {
    publish,
    get problem() {
      return reach.problem;
    },
    close: () => (client as PubSub).close(),
  };
}

function clientConfig({ projectId, emulator }: PublisherConfig): ClientConfig {
  // A channel that connects again within a second where Pub/Sub is back.
  const channel = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 1000 };
  return { projectId, ...channel, ...(emulator === null ? {} : { apiEndpoint: emulator, emulatorMode: true }) };
}

/** How long a check of subscriptions stays valid: less than the emulator needs for a restart, after which they are missing. */
const lookHoldsMs = 300;

/**
 * Rejects if the topic has no subscription. Only for the emulator: it forgets topics and subscriptions when it ends, and a message that is published
 * between the creation of both would be lost.
 */
function lookWhoFollows(topic: Topic): () => Promise<void> {
  let look: Promise<void> | null = null;
  return () => {
    if (look) return look;
    const startedAt = Date.now();
    look = topic.getSubscriptions({ gaxOpts, autoPaginate: false }).then(([subscriptions]) => {
      if (subscriptions.length === 0) throw new Error(`${topic.name} has no subscription`);
    });
    const forget = () => {
      look = null;
    };
    look.then(() => setTimeout(forget, Math.max(0, startedAt + lookHoldsMs - Date.now())).unref(), forget);
    return look;
  };
}
