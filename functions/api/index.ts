import { getRequestListener } from '@hono/node-server';
import { createChangeFeed } from '../../shared/adapters/change-feed.ts';
import { createFrames } from '../../shared/adapters/frames.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { faultOfTarget } from '../../shared/adapters/outbound/target.ts';
import { createPageTokens } from '../../shared/adapters/page-tokens.ts';
import { createWebhookSenders } from '../../shared/adapters/senders.ts';
import { createTokenVerifier } from '../../shared/adapters/token-verifier.ts';
import { createWebhookParts, readEgressRanges } from '../../shared/adapters/webhook-parts.ts';
import { createWorld } from '../../shared/adapters/world.ts';
import { createDeliveryDesk } from '../../shared/app/deliver.ts';
import { readConfig } from '../../shared/config.ts';
import { createHandlers } from './handlers.ts';
import { createRouter } from './router.ts';
import { settings } from './settings.ts';

const log = createLog('api');

serve('api', log, () => {
  const config = readConfig(process.env, settings);
  const world = createWorld(config, log);
  const { senders, guard } = createWebhookSenders(config);
  const webhooks = {
    parts: createWebhookParts(config, guard),
    desk: createDeliveryDesk(world, senders, () => performance.now()),
    egressRanges: readEgressRanges(config.egressRanges),
  };
  const router = createRouter({
    handlers: createHandlers(world, createPageTokens(config.pageTokenKey), {
      judgeUrl: (url) => faultOfTarget(url, config.webhookAllowHosts),
      feed: createChangeFeed(config),
      webhooks,
      frames: createFrames(config),
    }),
    verify: createTokenVerifier({
      issuer: config.authIssuer,
      audience: config.authAudience,
      keysUrl: config.authKeysUrl,
    }),
    log,
    corsOrigins: config.corsOrigins,
  });
  return getRequestListener(router.fetch);
});
