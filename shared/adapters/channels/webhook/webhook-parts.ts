import { randomBytes, randomUUID } from 'node:crypto';
import type { WebhookParts } from '../../../app/webhooks/webhooks.ts';
import type { Config } from '../../../config.ts';
import type { EgressRanges } from '../../../schema/webhook/webhook.ts';
import { createSecretBox } from '../../auth/secret-box.ts';
import type { OutboundGuard } from '../../outbound/guard.ts';

/** Everything that managing endpoints needs from outside. */
export function createWebhookParts(
  { dataKeys, webhookChallenge }: Config<'dataKeys' | 'webhookChallenge'>,
  guard: OutboundGuard,
): WebhookParts {
  return {
    box: createSecretBox(dataKeys),
    async faultOfTarget(url) {
      const target = await guard.check(url);
      // The name may not exist yet when its endpoint is created: each attempt looks it up again.
      if (!('kind' in target) || target.kind === 'dns_error') return null;
      return target.detail;
    },
    newId: randomUUID,
    isChallengeRequired: webhookChallenge === 'required',
    newChallenge: () => randomBytes(32).toString('base64url'),
    newSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
  };
}

/** @throws Error where the setting is not `[{region, cidrs[], standby?}]` */
export function readEgressRanges(setting: unknown): EgressRanges {
  const ranges = setting ?? [];
  const isText = (value: unknown) => typeof value === 'string';
  const isRange = ({ region, cidrs, standby = false }: Record<string, unknown>) =>
    isText(region) && Array.isArray(cidrs) && cidrs.every(isText) && typeof standby === 'boolean';
  if (Array.isArray(ranges) && ranges.every((range) => range && isRange(range))) return ranges;
  throw new Error('Settings refused: EGRESS_RANGES must be a list of {region, cidrs[], standby?}.');
}
