import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { WebhookEdge } from '../../../functions/api/handlers/webhooks.ts';
import { type Receiver, startReceiver } from '../../../local/cloud/receiver/server.ts';
import { type Credential, createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';
import { createWebhookParts } from '../../../shared/adapters/channels/webhook/webhook-parts.ts';
import { createWebhookSender } from '../../../shared/adapters/channels/webhook/webhook-sender.ts';
import { createOutboundClient } from '../../../shared/adapters/outbound/client.ts';
import { createOutboundGuard, type Resolve } from '../../../shared/adapters/outbound/guard.ts';

import type { Senders } from '../../../shared/app/deliveries/attempt.ts';
import { createDispatcher, type Dispatcher } from '../../../shared/app/deliveries/deliver.ts';
import type { World } from '../../../shared/app/ports.ts';
import { box, dataKeys } from './secret-box.ts';
import { afterPause, type TestWorld } from './world.ts';

/** Names other than `localhost` resolve to an address that counts as public and is assigned to nobody. */
const resolveNames: Resolve = async (host) => [
  host === 'localhost' ? { address: '127.0.0.1', family: 4 } : { address: '2d00::1', family: 6 },
];

/**
 * What the API and `deliver` need to manage and send webhooks, with the real guard, client and signatures. While the API waits for a test event,
 * `deliver` is called for the wake that was just set.
 */
export function createWebhookEdge(
  world: TestWorld,
  allowHosts: string[] = [],
  more: Senders = {},
  webhookChallenge: 'off' | 'required' = 'off',
): WebhookEdge & { dispatcher: Dispatcher; waiting: World['after'] } {
  const guard = createOutboundGuard(allowHosts, resolveNames);
  const webhook = createWebhookSender({ box, client: createOutboundClient(guard), now: world.now });
  const dispatcher = createDispatcher(world, { webhook, ...more }, () => performance.now());
  return {
    parts: createWebhookParts({ dataKeys, webhookChallenge }, guard),
    dispatcher,
    waiting: afterPause(async () => {
      const wake = world.wakes.findLast((each) => each.in === 'deliveries');
      if (wake) await dispatcher.attempt(wake.id, wake.webhookId);
    }),
    egressRanges: [
      { region: 'europe-west1', cidrs: ['198.51.100.0/24'] },
      { region: 'europe-north1', cidrs: ['203.0.113.0/24'], standby: true },
    ],
  };
}

/** The authority that this process trusts: one, since two of the same name would be taken for each other. */
let authority: ReturnType<typeof createAuthority> | undefined;

/** A receiver whose authority this process trusts. */
export async function startTrustedReceiver(now?: () => number): Promise<Receiver> {
  return startReceiver({ port: 0, controlPort: 0, credential: trustedCredential() }, now);
}

/** A server's certificate whose authority this process trusts. */
export function trustedCredential(issuedAt = new Date()): Credential {
  if (!authority) {
    authority = createAuthority(new Date());
    setDefaultCACertificates([...getCACertificates('default'), authority.certificate]);
  }
  return createServerCredential(authority, issuedAt);
}
