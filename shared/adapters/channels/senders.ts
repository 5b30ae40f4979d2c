import type { Senders } from '../../app/deliveries/attempt.ts';
import type { SecretBox, Store } from '../../app/ports.ts';
import type { Config, SettingName } from '../../config.ts';
import { createSecretBox } from '../auth/secret-box.ts';
import { createOutboundClient, type OutboundClient } from '../outbound/client.ts';
import { createOutboundGuard, type OutboundGuard } from '../outbound/guard.ts';
import { createChatSender } from './chat/chat-sender.ts';
import { createEmailSender } from './email/email-sender.ts';
import { createSmsSender } from './sms/sms-sender.ts';
import { createWebhookSender } from './webhook/webhook-sender.ts';

/** The settings that sending webhooks needs, and those of every channel. */
export const webhookSenderSettings = ['dataKeys', 'webhookAllowHosts'] as const satisfies SettingName[];
export const senderSettings = [
  ...webhookSenderSettings,
  'smtpUrl',
  'mailFrom',
  'smsUrl',
  'smsAccount',
  'smsToken',
  'smsFrom',
] as const satisfies SettingName[];
type WebhookSenderConfig = Config<(typeof webhookSenderSettings)[number]>;
type SenderConfig = Config<(typeof senderSettings)[number]>;

const now = () => new Date().toISOString();

/** The sender of webhooks alone, and the guard that it goes through: what sends no other message is given no other credentials. */
export function createWebhookSenders(config: WebhookSenderConfig): {
  senders: Senders;
  guard: OutboundGuard;
  client: OutboundClient;
  box: SecretBox;
} {
  const guard = createOutboundGuard(config.webhookAllowHosts);
  const client = createOutboundClient(guard);
  const box = createSecretBox(config.dataKeys);
  return { senders: { webhook: createWebhookSender({ box, client, now }) }, guard, client, box };
}

/** The sender of every channel that is set up. */
export function createSenders(config: SenderConfig, store: Pick<Store, 'get'>): Senders {
  const { senders, client, box } = createWebhookSenders(config);
  const { smtpUrl, mailFrom } = config;
  return {
    ...senders,
    chat: createChatSender({ store, box, client, now }),
    ...(smtpUrl ? { email: createEmailSender({ smtpUrl, from: mailFrom }) } : {}),
    ...smsSender(config, client),
  };
}

function smsSender({ smsUrl, smsAccount, smsToken, smsFrom }: SenderConfig, client: OutboundClient): Senders {
  if (!smsAccount || !smsToken || !smsFrom) return {};
  const parts = { url: smsUrl, account: smsAccount, token: smsToken, from: smsFrom };
  return { sms: createSmsSender({ ...parts, client, now }) };
}
