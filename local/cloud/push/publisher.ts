import { PubSub, type Topic } from '@google-cloud/pubsub';
import type { BridgeMessage, Publish } from './message.ts';

export type PublisherConfig = { projectId: string; pubsubHost: string; topic: string };

/** A message that waits because an earlier one of its key failed, with its place in the order of publication. */
type Waiting = { place: number; message: BridgeMessage; resolve: () => void; reject: (error: Error) => void };

/** gRPC status of a message that Pub/Sub will never accept, e.g. more than 10 MB. */
const invalidArgument = 3;
/** One attempt only: the client's own retries would publish long after the check for subscriptions. */
const gaxOpts = { timeout: 5000, retry: null };
const retryMs = { first: 200, longest: 5000 };
/** How long a check of subscriptions stays valid: less than the emulator needs for a restart, after which they are missing. */
const lookHoldsMs = 300;

/**
 * Publishes to the Pub/Sub emulator, in order for each key, and retries until it succeeds, because nobody else could
 * send a device's last will again. Rejects only what Pub/Sub will never accept.
 */
export function createPubSubPublisher(config: PublisherConfig): { publish: Publish; close(): Promise<void> } {
  const client = connectPubSub(config.projectId, config.pubsubHost);
  const topic = client.topic(config.topic, {
    messageOrdering: true,
    batching: { maxMessages: 100, maxMilliseconds: 2 },
    gaxOpts,
  });
  const followed = lookWhoFollows(topic);
  const troubled = new Map<string, Waiting[]>();
  let places = 0;

  const publish: Publish = async (message) => {
    const key = message.orderingKey;
    places += 1;
    const place = places;
    if (!troubled.has(key)) {
      try {
        await followed();
        await topic.publishMessage(message);
        return;
      } catch {
        // Continues below, at its place in the order.
      }
    }
    await new Promise<void>((resolve, reject) => {
      const waiting = { place, message, resolve, reject };
      const others = troubled.get(key);
      if (others) others.push(waiting);
      else void recover(topic, followed, key, troubled, waiting);
    });
  };
  return { publish, close: () => client.close() };
}

/** The official client, with a channel that reconnects to the emulator within a second. */
export function connectPubSub(projectId: string, host: string): PubSub {
  const channel = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 1000 };
  return new PubSub({ projectId, apiEndpoint: host, emulatorMode: true, ...channel });
}

/**
 * Rejects if the topic has no subscription. The emulator forgets topics and subscriptions when it ends, and a message
 * that is published between the creation of both would be lost.
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
    look.then(() => setTimeout(forget, startedAt + lookHoldsMs - Date.now()).unref(), forget);
    return look;
  };
}

/**
 * Publishes the waiting messages of a key one by one, in their order. After a failure the client refuses a key until it
 * is resumed, and one failed batch fails all batches behind it, in no defined order.
 */
async function recover(
  topic: Topic,
  followed: () => Promise<void>,
  key: string,
  troubled: Map<string, Waiting[]>,
  cause: Waiting,
): Promise<void> {
  const waiting = [cause];
  troubled.set(key, waiting);
  let waitMs = retryMs.first;
  await pause(waitMs);
  for (;;) {
    const first = waiting.sort((a, b) => a.place - b.place)[0];
    if (!first) break;
    topic.resumePublishing(key);
    try {
      await followed();
      await topic.publishMessage(first.message);
      waiting.splice(waiting.indexOf(first), 1);
      first.resolve();
      waitMs = retryMs.first;
    } catch (error) {
      if ((error as { code?: number }).code === invalidArgument) {
        waiting.splice(waiting.indexOf(first), 1);
        first.reject(error as Error);
        continue;
      }
      console.error(`publish.failed ${error instanceof Error ? error.message : error}`);
      await pause(waitMs);
      waitMs = Math.min(waitMs * 2, retryMs.longest);
    }
  }
  troubled.delete(key);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
