import type { Webhook } from '../../domain/delivery/webhook.ts';
import type { SecretBox } from '../ports.ts';

/** The record and member to which a sealed text of an endpoint belongs. */
export function ownerOf(webhookId: string, member: 'secret' | 'headers' | 'client-key' | 'oauth2'): string {
  return `webhooks/${webhookId}/${member}`;
}

/** The custom headers of an endpoint. */
export function headersOf(box: SecretBox, { webhookId, sealedHeaders }: Webhook): Record<string, string> {
  return sealedHeaders ? JSON.parse(box.open(sealedHeaders, ownerOf(webhookId, 'headers'))) : {};
}
