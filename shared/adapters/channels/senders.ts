import type { Senders } from '../../app/deliveries/attempt.ts';
import type { SecretBox, Sender, Store } from '../../app/ports.ts';
import type { Config, SettingName } from '../../config.ts';
import type { Instant } from '../../domain/time.ts';
import { type DeliveryChannel, deliveryChannels } from '../../schema/channels.ts';
import { createSecretBox } from '../auth/secret-box.ts';
import { clock } from '../clock.ts';
import { createOutboundClient, type OutboundClient } from '../outbound/client.ts';
import { createOutboundGuard } from '../outbound/guard.ts';
import { createChatSender } from './chat/chat-sender.ts';
import { createEmailSender } from './email/email-sender.ts';
import { createHandoffSender } from './handoff/handoff-sender.ts';
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
/** `consoleUrl` is missing above, because `worldSettings` already contains it. */
type SenderConfig = Config<(typeof senderSettings)[number] | 'consoleUrl'>;

/** The inputs of the senders. */
type SenderParts = {
  config: SenderConfig;
  store: Pick<Store, 'get'>;
  box: SecretBox;
  client: OutboundClient;
  now: () => Instant;
};

/** The sender of each channel. Null if its settings are missing. */
const senderTable: Record<DeliveryChannel, (parts: SenderParts) => Sender | null> = {
  email: ({ config: { smtpUrl, mailFrom: from }, store }) =>
    smtpUrl ? createEmailSender({ smtpUrl, from, store }) : null,
  chat: (parts) => createChatSender({ ...parts, drill: parts.config.drillTargets }),
  sms: ({ config: { smsUrl: url, smsAccount: account, smsToken: token, smsFrom: from }, client, now }) =>
    account && token && from ? createSmsSender({ url, account, token, from, client, now }) : null,
  webhook: (parts) =>
    heartbeatOr(
      createHeartbeatSender({ urls: parts.config.heartbeatUrls, client: parts.client }),
      createWebhookSender(parts),
    ),
  handoff: createHandoffSender,
};

/** The senders of all configured channels. */
export function createSenders(config: SenderConfig, store: Pick<Store, 'get'>): Senders {
  const client = createOutboundClient(createOutboundGuard(config.webhookAllowHosts));
  const box = createSecretBox(config.dataKeys);
  const parts: SenderParts = { config, store, box, client, now: clock.now };
  return Object.fromEntries(
    deliveryChannels.flatMap((channel) => {
      const sender = senderTable[channel](parts);
      return sender ? [[channel, sender]] : [];
    }),
  );
}

/** Beats use the channel `webhook`, but go to addresses that belong to no endpoint. */
function heartbeatOr(heartbeat: Sender, webhook: Sender): Sender {
  return {
    send: (delivery, attempt, endpoint) =>
      (delivery.target.kind === 'heartbeat' ? heartbeat : webhook).send(delivery, attempt, endpoint),
  };
}
