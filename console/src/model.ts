import type { AlertCode, Severity } from '../../shared/schema/alert/alert.ts';
import type { BatchResult as BatchAnswer } from '../../shared/schema/alert/life.ts';
import type { DeliverySummary } from '../../shared/schema/delivery/delivery.ts';
import type { Channel, RulePreview } from '../../shared/schema/settings/rule.ts';
import type { CreateWebhookRequest, UpdateWebhookRequest } from '../../shared/schema/webhook/webhook.ts';

export type BatchResult = BatchAnswer['results'][number];
export type Attempt = DeliverySummary['attempts'][number];
export type DeliveryStatus = DeliverySummary['status'];
export type Fate = RulePreview['alerts'][number]['today'];
/** What an endpoint is created or changed with: the form does not know of which it is. */
export type WebhookDraft = UpdateWebhookRequest & Pick<CreateWebhookRequest, 'url' | 'generateSecret'>;

export const severities = ['CRITICAL', 'ERROR', 'WARNING', 'INFO'] as const satisfies readonly Severity[];
export const severityNames: Record<Severity, string> = {
  CRITICAL: 'Critical',
  ERROR: 'Error',
  WARNING: 'Warning',
  INFO: 'Info',
};
export const channels = ['email', 'chat', 'sms', 'webhook'] as const satisfies readonly Channel[];
export const channelNames: Record<Channel, string> = { email: 'Email', chat: 'Chat', sms: 'SMS', webhook: 'Webhook' };

/** The codes of the contract and what they mean, in few words. */
export const codeTitles: Record<AlertCode, string> = {
  CONN_001: 'Connection lost',
  CONN_002: 'Connection unstable',
  CONN_003: 'Latency high',
  CONN_004: 'Connection restored',
  SEC_001: 'Certificate validation failed',
  SEC_002: 'Unauthorized broker attempt',
  SEC_003: 'Certificate expiring',
  SEC_004: 'Failed authentications',
  CFG_001: 'Critical configuration drift',
  CFG_002: 'Configuration healed',
  CFG_003: 'Configuration conflict',
  CFG_004: 'Configuration updated',
  RES_001: 'Memory critical',
  RES_002: 'Memory high',
  RES_003: 'Storage low',
  RES_004: 'Resources normal',
};
/** Their severities as the catalogue fixes them. */
export const codeSeverities: Record<AlertCode, Severity> = {
  CONN_001: 'CRITICAL',
  CONN_002: 'ERROR',
  CONN_003: 'WARNING',
  CONN_004: 'INFO',
  SEC_001: 'CRITICAL',
  SEC_002: 'CRITICAL',
  SEC_003: 'ERROR',
  SEC_004: 'WARNING',
  CFG_001: 'CRITICAL',
  CFG_002: 'WARNING',
  CFG_003: 'WARNING',
  CFG_004: 'INFO',
  RES_001: 'ERROR',
  RES_002: 'WARNING',
  RES_003: 'WARNING',
  RES_004: 'INFO',
};
export const alertCodes = Object.keys(codeTitles) as AlertCode[];
