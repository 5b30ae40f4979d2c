import { randomUUID } from 'node:crypto';
import { getRequestListener } from '@hono/node-server';
import { createAuthenticator } from '../../shared/adapters/auth/bearer-auth.ts';
import { createPageTokens } from '../../shared/adapters/auth/page-tokens.ts';
import { createScrapeCaller } from '../../shared/adapters/auth/scrape-token.ts';
import { createWebhookParts, readEgressRanges } from '../../shared/adapters/channels/webhook/webhook-parts.ts';
import { patienceWithPeople } from '../../shared/adapters/firestore/patience.ts';
import { createFrames } from '../../shared/adapters/frames/frames.ts';
import { createLimits } from '../../shared/adapters/http/limits.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLogObjects } from '../../shared/adapters/ledger/log-objects.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { createOutboundGuard, faultOfTarget } from '../../shared/adapters/outbound/guard.ts';

import { createWorld, feedEveryMs } from '../../shared/adapters/world.ts';
import { createRefusals } from '../../shared/app/audit/refusals.ts';
import { createChangeStream } from '../../shared/app/fleet/change-stream.ts';
import { readConfig } from '../../shared/config.ts';
import { createHandlers } from './handlers.ts';
import { createRouter } from './router.ts';
import { settings } from './settings.ts';

const log = createLog('api');

serve('api', log, () => {
  const config = readConfig(process.env, settings);
  const world = createWorld(config, log, patienceWithPeople);
  const limits = createLimits(() => performance.now(), config.requestsPerMinute);
  const webhooks = {
    parts: createWebhookParts(config, createOutboundGuard(config.webhookAllowHosts)),
    egressRanges: readEgressRanges(config.egressRanges),
  };
  const tokens = createPageTokens(...config.pageTokenKeys);
  const parts = {
    judgeUrl: (url: string) => faultOfTarget(url, config.webhookAllowHosts),
    stream: createChangeStream(world, feedEveryMs(config)),
    webhooks,
    frames: createFrames(config),
    limits,
    feedEveryMs: feedEveryMs(config),
    ledger: createLogObjects(config),
  };
  const router = createRouter({
    world,
    handlers: createHandlers(tokens, parts),
    refusals: createRefusals(world, { instance: randomUUID(), maxInstances: config.maxInstances }),
    trustedProxies: config.trustedProxies,
    authenticate: createAuthenticator(config.authIssuers),
    scrapeCaller: createScrapeCaller(config.metricsToken),
    limits,
    isReadOnly: config.readOnly,
    corsOrigins: config.corsOrigins,
  });
  return getRequestListener(router.fetch);
});
