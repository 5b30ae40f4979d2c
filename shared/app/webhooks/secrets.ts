import type { Webhook } from '../../domain/delivery/webhook.ts';
import type { SecretBox } from '../ports.ts';

/** What a sealed text of an endpoint belongs to. */
export function ownerOf(webhookId: string, member: 'secret' | 'headers'): string {
  return `webhooks/${webhookId}/${member}`;
}

/** The custom headers of an endpoint. */
export function headersOf(box: SecretBox, { webhookId, sealedHeaders }: Webhook): Record<string, string> {
  return sealedHeaders ? JSON.parse(box.open(sealedHeaders, ownerOf(webhookId, 'headers'))) : {};
}
