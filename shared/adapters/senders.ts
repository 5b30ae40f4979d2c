import type { Senders } from '../app/attempt.ts';
import type { Store } from '../app/ports.ts';
import type { Config, SettingName } from '../config.ts';
import { createChatSender } from './channels/chat-sender.ts';
import { createEmailSender } from './channels/email-sender.ts';
import { createSmsSender } from './channels/sms-sender.ts';
import { createOutboundClient, type OutboundClient } from './outbound/client.ts';
import { createOutboundGuard, type OutboundGuard } from './outbound/guard.ts';
import { createSecretBox } from './secret-box.ts';
import { createWebhookSender } from './webhook-sender.ts';

/** The settings that sending needs. */
export const senderSettings = [
  'dataKeys',
  'webhookAllowHosts',
  'smtpUrl',
  'mailFrom',
  'smsUrl',
  'smsAccount',
  'smsToken',
  'smsFrom',
] as const satisfies SettingName[];
type SenderConfig = Config<(typeof senderSettings)[number]>;

const now = () => new Date().toISOString();

/** The sender of every channel that is set up, and the guard that they share. */
export function createSenders(
  config: SenderConfig,
  store: Pick<Store, 'get'>,
): { senders: Senders; guard: OutboundGuard } {
  const guard = createOutboundGuard(config.webhookAllowHosts);
  const client = createOutboundClient(guard);
  const box = createSecretBox(config.dataKeys);
  const { smtpUrl, mailFrom } = config;
  const senders: Senders = {
    webhook: createWebhookSender({ box, client, now }),
    chat: createChatSender({ store, client, now }),
    ...(smtpUrl ? { email: createEmailSender({ smtpUrl, from: mailFrom }) } : {}),
    ...smsSender(config, client),
  };
  return { senders, guard };
}

function smsSender({ smsUrl, smsAccount, smsToken, smsFrom }: SenderConfig, client: OutboundClient): Senders {
  if (!smsAccount || !smsToken || !smsFrom) return {};
  const parts = { url: smsUrl, account: smsAccount, token: smsToken, from: smsFrom };
  return { sms: createSmsSender({ ...parts, client, now }) };
}
