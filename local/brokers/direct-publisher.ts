import { randomUUID } from 'node:crypto';
import { createIdentityTokens } from '../cloud/identity-tokens.ts';
import { createDeliverer, type DelivererConfig } from '../cloud/push/deliverer.ts';
import type { Publish } from '../cloud/push/message.ts';
import { type PushRetries, pushRetries } from '../cloud/push/settings.ts';

/** Where messages go without Pub/Sub: to the function `ingest`, and dead ones to its address `deadLetterUrl`. */
export type DirectConfig = Omit<DelivererConfig, 'url' | keyof PushRetries> & {
  url: string;
  deadLetterUrl: string;
  issuer: string;
};

/**
 * Posts each message to `ingest` as Pub/Sub would push it, in order for each device. `publish` resolves when the
 * message, or its dead letter, is accepted; only then does the broker acknowledge it.
 */
export function createDirectPublisher(config: DirectConfig): { publish: Publish; close(): Promise<void> } {
  const tokens = createIdentityTokens(config.issuer);
  const ingest = createDeliverer({ ...config, ...pushRetries.messages }, tokens);
  const deadLetters = createDeliverer({ ...config, ...pushRetries.deadLetters, url: config.deadLetterUrl }, tokens);
  return {
    async publish(message) {
      const published = { ...message, messageId: randomUUID(), publishTime: new Date().toISOString() };
      const { outcome } = await ingest.deliver(published);
      if (outcome === 'dead') await deadLetters.deliver(published);
    },
    async close() {
      await Promise.all([ingest.close(), deadLetters.close()]);
    },
  };
}
