import type { Senders } from '../app/attempt.ts';
import type { SecretBox, Store } from '../app/ports.ts';
import type { Config, SettingName } from '../config.ts';
import { createChatSender } from './channels/chat-sender.ts';
import { createEmailSender } from './channels/email-sender.ts';
import { createSmsSender } from './channels/sms-sender.ts';
import { createOutboundClient, type OutboundClient } from './outbound/client.ts';
import { createOutboundGuard, type OutboundGuard } from './outbound/guard.ts';
import { createSecretBox } from './secret-box.ts';
import { createWebhookSender } from './webhook-sender.ts';

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
