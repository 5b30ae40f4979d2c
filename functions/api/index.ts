import { getRequestListener } from '@hono/node-server';
import { createPageTokens } from '../../shared/adapters/auth/page-tokens.ts';
import { createTokenVerifier } from '../../shared/adapters/auth/token-verifier.ts';
import { createChangeFeed } from '../../shared/adapters/change-feed.ts';
import { createWebhookParts, readEgressRanges } from '../../shared/adapters/channels/webhook/webhook-parts.ts';
import { createFrames } from '../../shared/adapters/frames/frames.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLog } from '../../shared/adapters/log.ts';
import { createOutboundGuard } from '../../shared/adapters/outbound/guard.ts';
import { faultOfTarget } from '../../shared/adapters/outbound/target.ts';
import { createWorld } from '../../shared/adapters/world.ts';
import { readConfig } from '../../shared/config.ts';
import { createHandlers } from './handlers.ts';
import { createRouter } from './router.ts';
import { settings } from './settings.ts';

const log = createLog('api');

serve('api', log, () => {
  const config = readConfig(process.env, settings);
  const world = createWorld(config, log);
  const webhooks = {
    parts: createWebhookParts(config, createOutboundGuard(config.webhookAllowHosts)),
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
    groupsClaim: config.authGroupsClaim,
    log,
    corsOrigins: config.corsOrigins,
  });
  return getRequestListener(router.fetch);
});
