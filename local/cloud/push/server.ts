import { setTimeout as pause } from 'node:timers/promises';
import { type PubSub, type protos, v1 } from '@google-cloud/pubsub';
import { createIdentityTokens } from '../identity-tokens.ts';
import { connectPubSub } from './client.ts';
import { createDeliverer, type Deliverer, type PubSubMessage } from './deliverer.ts';
import type { PushRetries } from './settings.ts';

/** One subscription that pushes. */
export type PushSubscription = PushRetries & {
  topic: string;
  name: string;
  url: string;
  /** The topic for dead messages. Null: a message is tried for ever. */
  deadLetterTopic: string | null;
};

export type PushConfig = {
  projectId: string;
  pubsubHost: string;
  issuer: string;
  /** Account and audience of the tokens that the requests carry. */
  email: string;
  audience: string;
  subscriptions: PushSubscription[];
};

type Received = protos.google.pubsub.v1.IReceivedMessage;
type PulledMessage = protos.google.pubsub.v1.IPubsubMessage;

const deadlineExceeded = 4;
const notFound = 5;
const alreadyExists = 6;
/** Messages held at once, including those that wait for their key or for another attempt. */
const mostHeld = 1000;
/** Calls that wait for messages at once: with a single one, the emulator lets a message wait some 40 ms for the next call. */
const pullers = 4;
/** The emulator answers a call that has nothing to say only when something comes. */
const pullMs = 30_000;
const retryMs = 500;
/** Lease of a message, in seconds. It is extended while the message is held, and ends soon after this process was killed. */
const leaseSeconds = 20;
const extendMs = 5000;

/**
 * Pushes what is published to the Pub/Sub emulator as Pub/Sub itself would: in order for each key, with an OIDC token, counted attempts and
 * dead letters. The emulator's own push has none of these. Creates the topics and subscriptions, again where the emulator has lost them.
 */
export async function startPush(config: PushConfig): Promise<{ stop(): Promise<void> }> {
  const client = connectPubSub(config.projectId, config.pubsubHost);
  const tokens = createIdentityTokens(config.issuer);
  const running = await Promise.all(
    config.subscriptions.map(async (subscription) => {
      const deliverer = createDeliverer(
        { ...config, ...subscription, subscription: `projects/${config.projectId}/subscriptions/${subscription.name}` },
        tokens,
      );
      const stop = await follow(client, config.projectId, subscription, deliverer);
      return async () => {
        await deliverer.close();
        await stop();
      };
    }),
  );
  return {
    stop: async () => {
      await Promise.all(running.map((stop) => stop()));
      await client.close();
    },
  };
}

/**
 * Pulls until it is stopped, call by call. On the streams of the official client, the emulator loses all later messages of some ordering keys once the
 * client has abandoned a stream, which it does on a busy machine.
 */
async function follow(
  client: PubSub,
  projectId: string,
  push: PushSubscription,
  deliverer: Deliverer,
): Promise<() => Promise<void>> {
  const subscriber = new v1.SubscriberClient({ ...(await client.getClientConfig()) });
  const subscription = `projects/${projectId}/subscriptions/${push.name}`;
  let isStopped = false;
  const failed = (error: unknown) => {
    if (!isStopped)
      console.error(`subscription.failed ${push.name}: ${error instanceof Error ? error.message : error}`);
  };
  const leases = keepLeases(subscriber, subscription, failed);
  const handle = async ({ ackId, message }: Received) => {
    if (!ackId || !message) return;
    leases.held.add(ackId);
    const plain = plainMessage(message);
    try {
      const delivered = await deliverer.deliver(plain);
      if (delivered.outcome === 'dead') await bury(client, projectId, push, plain, delivered.attempts);
      await subscriber.acknowledge({ subscription, ackIds: [ackId] });
    } catch (error) {
      // It comes again when its lease ends.
      failed(error);
    } finally {
      leases.held.delete(ackId);
    }
  };
  const recover = async (error: unknown) => {
    const { code } = error as { code?: number };
    if (code === deadlineExceeded) return;
    if (code !== notFound) failed(error);
    await pause(retryMs);
    if (code === notFound) await prepare(client, push).catch(failed);
  };
  const pull = async () => {
    const room = Math.ceil((mostHeld - leases.held.size) / pullers);
    if (room <= 0) return pause(retryMs);
    try {
      const [answer] = await subscriber.pull({ subscription, maxMessages: room }, { timeout: pullMs, retry: null });
      for (const received of answer.receivedMessages ?? []) void handle(received);
    } catch (error) {
      await recover(error);
    }
  };
  await prepare(client, push);
  for (let puller = 0; puller < pullers; puller += 1) {
    void (async () => {
      while (!isStopped) await pull();
    })();
  }
  return async () => {
    isStopped = true;
    leases.stop();
    await subscriber.close();
  };
}

/** Extends the leases of what is held until it is stopped. */
function keepLeases(
  subscriber: InstanceType<typeof v1.SubscriberClient>,
  subscription: string,
  failed: (error: unknown) => void,
) {
  const held = new Set<string>();
  const extend = () => {
    if (held.size === 0) return;
    const extension = { subscription, ackIds: [...held], ackDeadlineSeconds: leaseSeconds };
    void subscriber.modifyAckDeadline(extension).catch(failed);
  };
  const timer = setInterval(extend, extendMs);
  return { held, stop: () => clearInterval(timer) };
}

function plainMessage({ messageId, publishTime, data, attributes, orderingKey }: PulledMessage): PubSubMessage {
  const { seconds = 0, nanos = 0 } = publishTime ?? {};
  return {
    messageId: messageId ?? '',
    publishTime: new Date(Number(seconds) * 1000 + Math.floor((nanos ?? 0) / 1e6)).toISOString(),
    data: Buffer.from((data as Uint8Array | null) ?? []),
    attributes: attributes ?? {},
    orderingKey: orderingKey ?? '',
  };
}

async function prepare(client: PubSub, push: PushSubscription): Promise<void> {
  const topics = [push.topic, ...(push.deadLetterTopic ? [push.deadLetterTopic] : [])];
  for (const topic of topics) await client.createTopic(topic).catch(unlessItExists);
  const options = { enableMessageOrdering: true, ackDeadlineSeconds: leaseSeconds };
  await client.topic(push.topic).createSubscription(push.name, options).catch(unlessItExists);
}

/**
 * Publishes a dead message to the dead-letter topic, with the attributes that Pub/Sub adds (Pub/Sub reference,
 * "Dead-letter topics").
 */
async function bury(
  client: PubSub,
  projectId: string,
  push: PushSubscription,
  { data, attributes, orderingKey, publishTime }: PubSubMessage,
  attempts: number,
): Promise<void> {
  if (push.deadLetterTopic === null) return;
  await client.topic(push.deadLetterTopic, { messageOrdering: true }).publishMessage({
    data,
    orderingKey,
    attributes: {
      ...attributes,
      CloudPubSubDeadLetterSourceDeliveryCount: String(attempts),
      CloudPubSubDeadLetterSourceSubscription: push.name,
      CloudPubSubDeadLetterSourceSubscriptionProject: projectId,
      CloudPubSubDeadLetterSourceTopicPublishTime: publishTime,
    },
  });
}

function unlessItExists(error: { code?: number }): void {
  if (error.code !== alreadyExists) throw error;
}
