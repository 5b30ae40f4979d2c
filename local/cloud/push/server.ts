import { Duration, type PubSub, type Subscription } from '@google-cloud/pubsub';
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

const alreadyExists = 6;
/** Messages held at once, including those that wait for their key or for another attempt. */
const held = 1000;
const retryMs = 500;
/**
 * Longest lease of a message. The client abandons a stream on which the emulator has been silent for 45 s, with the messages just sent on
 * it. By default its leases grow to ten minutes, during which no other message of that key would come.
 */
const lease = Duration.from({ seconds: 20 });

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

/** Pulls until it is stopped. If the stream fails for good, it opens a new one. */
async function follow(
  client: PubSub,
  projectId: string,
  push: PushSubscription,
  deliverer: Deliverer,
): Promise<() => Promise<void>> {
  let isStopped = false;
  let current: Subscription | null = null;
  const open = async () => {
    await prepare(client, push);
    const subscription = client.subscription(push.name, { flowControl: { maxMessages: held }, maxAckDeadline: lease });
    current = subscription;
    subscription.on('message', async (message) => {
      const { id, publishTime, data, attributes, orderingKey } = message;
      const plain = {
        messageId: id,
        publishTime: publishTime.toISOString(),
        data,
        attributes,
        orderingKey: orderingKey ?? '',
      };
      try {
        const delivered = await deliverer.deliver(plain);
        if (delivered.outcome === 'dead') await bury(client, projectId, push, plain, delivered.attempts);
        message.ack();
      } catch {
        message.nack();
      }
    });
    subscription.once('error', (error) => {
      if (isStopped) return;
      console.error(`subscription.broke ${push.name}: ${error.message}`);
      void subscription.close().catch(() => {});
      void reopen();
    });
  };
  const reopen = async () => {
    while (!isStopped) {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      try {
        return await open();
      } catch (error) {
        console.error(`subscription.failed ${push.name}: ${error instanceof Error ? error.message : error}`);
      }
    }
  };
  await open();
  return async () => {
    isStopped = true;
    await current?.close();
  };
}

async function prepare(client: PubSub, push: PushSubscription): Promise<void> {
  const topics = [push.topic, ...(push.deadLetterTopic ? [push.deadLetterTopic] : [])];
  for (const topic of topics) await client.createTopic(topic).catch(unlessItExists);
  const options = { enableMessageOrdering: true, ackDeadlineSeconds: 10 };
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
