import { createHandlers } from '../../../functions/api/handlers.ts';
import { createRouter } from '../../../functions/api/router.ts';
import type { GroupsClaim } from '../../../shared/adapters/auth/bearer-auth.ts';
import { createPageTokens } from '../../../shared/adapters/auth/page-tokens.ts';
import { createTokenVerifier } from '../../../shared/adapters/auth/token-verifier.ts';
import { memoryFeed } from '../../../shared/adapters/change-feed.ts';
import { createLimits, type Limits } from '../../../shared/adapters/http/limits.ts';
import type { MemoryStore } from '../../../shared/adapters/memory/store.ts';
import { faultOfTarget } from '../../../shared/adapters/outbound/target.ts';
import { createRefusals } from '../../../shared/app/audit/refusals.ts';
import { createChangeStream } from '../../../shared/app/fleet/change-stream.ts';
import { frames } from './frames.ts';
import { startTestIssuer } from './issuer.ts';
import { createWebhookEdge } from './webhooks.ts';
import { createTestWorld, type TestWorld } from './world.ts';

/** Tests ask more in a second than people do in an hour. */
const farAway = createLimits(() => performance.now(), 1_000_000_000);

/** The whole API on the in-process store, behind real tokens of an issuer on a real address; called without a server. */
export async function startTestApi(
  world: TestWorld = createTestWorld(),
  allowHosts: string[] = [],
  groupsClaim: GroupsClaim = { name: 'groups', isOptional: false },
  limits: Limits = farAway,
) {
  const issuer = await startTestIssuer();
  const tokens = createPageTokens(Buffer.alloc(32, 1));
  const feed = 'onCommit' in world.store ? memoryFeed(world.store as MemoryStore) : { watch: () => () => {} };
  const parts = {
    judgeUrl: (url: string) => faultOfTarget(url, allowHosts),
    stream: createChangeStream(world, feed),
    webhooks: createWebhookEdge(world, allowHosts),
    frames,
    limits,
  };
  const refusals = createRefusals(world, { instance: 'test', maxInstances: 10 });
  const router = createRouter({
    world,
    handlersIn: (own) => createHandlers(own, tokens, parts),
    refusals,
    trustedProxies: 1,
    verify: createTokenVerifier({ issuer: issuer.url, audience: 'watchpost', keysUrl: null }),
    groupsClaim,
    limits,
    corsOrigins: ['https://console.example.com'],
  });
  return {
    world,
    issuer,
    refusals,
    /** `bindings`: what Node's server hands on with a request. */
    fetch: (request: Request, bindings?: object) => router.fetch(request, bindings),
    /** Sends a request with the token (by default one with every scope) and reads the answer. */
    async call(
      method: string,
      path: string,
      given: { token?: string | null; body?: unknown; rawBody?: string; headers?: Record<string, string> } = {},
    ) {
      const token = given.token === undefined ? await issuer.token() : given.token;
      const body = given.rawBody ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
      const response = await router.fetch(
        new Request(`http://watchpost.test${path}`, {
          method,
          headers: {
            ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
            ...(body === undefined
              ? {}
              : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
            ...given.headers,
          },
          ...(body === undefined ? {} : { body }),
        }),
      );
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
    },
    stop: () => issuer.stop(),
  };
}
