import { randomUUID } from 'node:crypto';
import { createIdentityTokens } from '../cloud/identity-tokens.ts';
import { createDeliverer, type DelivererConfig } from '../cloud/push/deliverer.ts';
import type { Publish } from '../cloud/push/message.ts';
import { type PushRetries, pushRetries } from '../cloud/push/settings.ts';

/** The destination without Pub/Sub: the function `ingest`. */
export type DirectConfig = Omit<DelivererConfig, 'url' | keyof PushRetries> & {
  url: string;
  deadLetterUrl: string;
  issuer: string;
};

/** Posts each message to `ingest` as Pub/Sub would push it, in order for each device. The broker acknowledges accepted messages. */
export function createDirectPublisher(config: DirectConfig): { publish: Publish; close(): Promise<void> } {
  const tokens = createIdentityTokens(config.issuer, Date.now);
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
