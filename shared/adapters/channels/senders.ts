import type { Senders } from '../../app/deliveries/attempt.ts';
import type { Store } from '../../app/ports.ts';
import type { Config, SettingName } from '../../config.ts';
import { createSecretBox } from '../auth/secret-box.ts';
import { createOutboundClient, type OutboundClient } from '../outbound/client.ts';
import { createOutboundGuard } from '../outbound/guard.ts';
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
type SenderConfig = Config<(typeof senderSettings)[number]>;

const now = () => new Date().toISOString();

/** The sender of every channel that is set up. */
export function createSenders(config: SenderConfig, store: Pick<Store, 'get'>): Senders {
  const client = createOutboundClient(createOutboundGuard(config.webhookAllowHosts));
  const box = createSecretBox(config.dataKeys);
  const { smtpUrl, mailFrom } = config;
  return {
    webhook: createWebhookSender({ box, client, now }),
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
