import type { EgressCheck } from '../../app/deliveries/way-out.ts';
import type { Config, SettingName } from '../../config.ts';
import { createOutboundClient, type OutboundClient } from './client.ts';
import { createOutboundGuard, faultOfTarget } from './guard.ts';

export const egressCheckSettings = ['egressCheckUrl', 'webhookAllowHosts'] as const satisfies SettingName[];

/**
 * Timeout of the check, milliseconds. The lease of a delivery must last longer than its request by more than this,
 * because a failed request may be judged only after the check.
 */
const timeoutMs = 5000;

/**
 * Asks the check address of the settings, through the guard like all outgoing requests. Any status counts as an answer. Null where no
 * address is set.
 * @throws Error where the guard would refuse the address, since it could never answer
 */
export function createEgressCheck(
  { egressCheckUrl: url, webhookAllowHosts }: Config<(typeof egressCheckSettings)[number]>,
  client: OutboundClient = createOutboundClient(createOutboundGuard(webhookAllowHosts)),
): EgressCheck | null {
  if (url === null) return null;
  const fault = faultOfTarget(url, webhookAllowHosts);
  if (fault) throw new Error(`Settings refused: EGRESS_CHECK_URL ${fault}.`);
  const headers = { 'User-Agent': 'Watchpost/1.0' };
  return async () => {
    const { statusCode } = await client.send({ url, method: 'HEAD', headers, body: null, timeoutMs });
    return statusCode !== null;
  };
}
