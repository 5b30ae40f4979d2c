import type { Senders } from '../../app/deliveries/attempt.ts';
import type { Sender, Store } from '../../app/ports.ts';
import type { Config, SettingName } from '../../config.ts';
import { createSecretBox } from '../auth/secret-box.ts';
import { createOutboundClient, type OutboundClient } from '../outbound/client.ts';
import { createOutboundGuard } from '../outbound/guard.ts';
import { createChatSender } from './chat/chat-sender.ts';
import { createEmailSender } from './email/email-sender.ts';
import { createHeartbeatSender } from './heartbeat/heartbeat-sender.ts';
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
  'drillTargets',
  'heartbeatUrls',
] as const satisfies SettingName[];
type SenderConfig = Config<(typeof senderSettings)[number]>;

const now = () => new Date().toISOString();

/** The sender of every channel that is set up. */
export function createSenders(config: SenderConfig, store: Pick<Store, 'get'>): Senders {
  const client = createOutboundClient(createOutboundGuard(config.webhookAllowHosts));
  const box = createSecretBox(config.dataKeys);
  const heartbeat = createHeartbeatSender({ urls: config.heartbeatUrls, client });
  const { smtpUrl, mailFrom, drillTargets: drill } = config;
  return {
    webhook: heartbeatOr(heartbeat, createWebhookSender({ box, client, now })),
    chat: createChatSender({ store, box, client, now, drill }),
    ...(smtpUrl ? { email: createEmailSender({ smtpUrl, from: mailFrom }) } : {}),
    ...smsSender(config, client),
  };
}

/** Beats go the way of webhooks, to addresses that no endpoint has. */
function heartbeatOr(heartbeat: Sender, webhook: Sender): Sender {
  return {
    send: (delivery, attempt, endpoint) =>
      (delivery.target.kind === 'heartbeat' ? heartbeat : webhook).send(delivery, attempt, endpoint),
  };
}

function smsSender({ smsUrl, smsAccount, smsToken, smsFrom }: SenderConfig, client: OutboundClient): Senders {
  if (!smsAccount || !smsToken || !smsFrom) return {};
  const parts = { url: smsUrl, account: smsAccount, token: smsToken, from: smsFrom };
  return { sms: createSmsSender({ ...parts, client, now }) };
}
