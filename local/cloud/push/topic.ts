import { randomUUID } from 'node:crypto';
import { type handleUnaryCall, Server, status } from '@grpc/grpc-js';
import type { Service } from '../../machine/http-server.ts';
import { bindServer, loadService } from '../grpc-services.ts';
import { createIdentityTokens } from '../identity-tokens.ts';
import { createDeliverer, type DelivererConfig } from './deliverer.ts';
import { type PushRetries, pushRetries } from './settings.ts';

/** Where messages go without the emulator: to the function `ingest`, and dead ones to its address `deadLetterUrl`. */
export type TopicConfig = Omit<DelivererConfig, keyof PushRetries> & {
  port: number;
  deadLetterUrl: string;
  issuer: string;
};

type Message = { data: Buffer; attributes: Record<string, string>; orderingKey: string };

/**
 * A topic for a run without the emulator: the part of the gRPC service `google.pubsub.v1.Publisher` that a publisher calls. It posts each message to
 * `ingest` as Pub/Sub would push it, in order for each key, and answers when all of a request, or their dead letters, are accepted: it stores
 * nothing, so that whoever publishes must still have what is not handled.
 */
export async function startTopic({ port, issuer, deadLetterUrl, ...config }: TopicConfig): Promise<Service> {
  const tokens = createIdentityTokens(issuer, Date.now);
  const ingest = createDeliverer({ ...config, ...pushRetries.messages }, tokens);
  const deadLetters = createDeliverer({ ...config, ...pushRetries.deadLetters, url: deadLetterUrl }, tokens);
  const deliver = async (message: Message): Promise<string> => {
    const messageId = randomUUID();
    const published = { ...message, messageId, publishTime: new Date().toISOString() };
    const { outcome } = await ingest.deliver(published);
    if (outcome === 'dead') await deadLetters.deliver(published);
    return messageId;
  };
  const server = new Server();
  server.addService(loadService('@google-cloud/pubsub', '../../protos', 'google.pubsub.v1.Publisher'), {
    publish: unary(async ({ messages }: { messages: Message[] }) => ({
      messageIds: await Promise.all(messages.map(deliver)),
    })),
    listTopicSubscriptions: unary(async () => ({ subscriptions: [config.subscription] })),
  });
  const bound = await bindServer(server, port);
  return {
    port: bound,
    stop: async () => {
      server.forceShutdown();
      await Promise.all([ingest.close(), deadLetters.close()]);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the messages are described at run time only
function unary(handle: (request: any) => Promise<object>): handleUnaryCall<any, any> {
  return (call, answer) => {
    handle(call.request).then(
      (value) => answer(null, value),
      (error: Error) => answer({ code: status.UNAVAILABLE, details: error.message }),
    );
  };
}
