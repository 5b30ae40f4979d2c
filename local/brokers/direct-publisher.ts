import { randomUUID } from 'node:crypto';
import { createIdentityTokens } from '../cloud/identity-tokens.ts';
import { createDeliverer, type DelivererConfig } from '../cloud/push/deliverer.ts';
import type { Publish } from '../cloud/push/message.ts';

/** Where messages go without Pub/Sub: straight to the function `ingest`. */
export type DirectConfig = Omit<DelivererConfig, 'url' | 'maxAttempts'> & {
  url: string;
  deadLetterUrl: string;
  maxAttempts: number;
  issuer: string;
};

/** Posts each message to `ingest` as Pub/Sub would push it, in order for each device; the broker acknowledges what was taken. */
export function createDirectPublisher(config: DirectConfig): { publish: Publish; close(): Promise<void> } {
  const tokens = createIdentityTokens(config.issuer, Date.now);
  const ingest = createDeliverer(config, tokens);
  const deadLetters = createDeliverer({ ...config, url: config.deadLetterUrl, maxAttempts: null }, tokens);
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
