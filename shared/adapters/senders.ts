import type { Senders } from '../app/attempt.ts';
import type { Config, SettingName } from '../config.ts';
import { createOutboundClient } from './outbound/client.ts';
import { createOutboundGuard, type OutboundGuard } from './outbound/guard.ts';
import { createSecretBox } from './secret-box.ts';
import { createWebhookSender } from './webhook-sender.ts';

/** The settings that sending needs. */
export const senderSettings = ['dataKeys', 'webhookAllowHosts'] as const satisfies SettingName[];
type SenderConfig = Config<(typeof senderSettings)[number]>;

/** The sender of every channel that is set up, and the guard that they share. */
export function createSenders(config: SenderConfig): { senders: Senders; guard: OutboundGuard } {
  const guard = createOutboundGuard(config.webhookAllowHosts);
  const client = createOutboundClient(guard);
  const box = createSecretBox(config.dataKeys);
  return { senders: { webhook: createWebhookSender({ box, client, now: () => new Date().toISOString() }) }, guard };
}
