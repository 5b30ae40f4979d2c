import type { BatchResult as BatchAnswer } from '../../shared/schema/alert/life.ts';
import type { DeliveryChannel } from '../../shared/schema/channels.ts';
import type { DeliverySummary } from '../../shared/schema/delivery/delivery.ts';
import type { RulePreview } from '../../shared/schema/settings/rule.ts';
import {
  type AlertCode,
  alertCatalogue,
  alertCodes,
  channels,
  channelTable,
  type Severity,
} from '../../shared/schema/vocabulary.ts';

export { type AlertCode, type DeliveryStatus, severities } from '../../shared/schema/vocabulary.ts';

import type { CreateWebhookRequest, UpdateWebhookRequest } from '../../shared/schema/webhook/webhook.ts';

export { alertCodes, channels };

export type BatchResult = BatchAnswer['results'][number];
export type Attempt = DeliverySummary['attempts'][number];
export type Fate = RulePreview['alerts'][number]['today'];
/** The body that creates or changes an endpoint, because the form does both. */
export type WebhookDraft = UpdateWebhookRequest & Pick<CreateWebhookRequest, 'url' | 'generateSecret'>;

export const severityNames: Record<Severity, string> = {
  CRITICAL: 'Critical',
  ERROR: 'Error',
  WARNING: 'Warning',
  INFO: 'Info',
};
export const channelNames = {
  ...Object.fromEntries(channels.map((channel) => [channel, channelTable[channel].title])),
  handoff: 'Hand-off',
} as Record<DeliveryChannel, string>;

/** A short name for each code of the contract. */
export const codeTitles = byCode(({ title }) => title);
/** The severity of each code, from the alert catalogue. */
export const codeSeverities = byCode(({ severity }) => severity);

function byCode<Value>(memberOf: (row: (typeof alertCatalogue)[AlertCode]) => Value): Record<AlertCode, Value> {
  return Object.fromEntries(alertCodes.map((code) => [code, memberOf(alertCatalogue[code])])) as Record<
    AlertCode,
    Value
  >;
}
