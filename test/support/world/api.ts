import { createHandlers } from '../../../functions/api/handlers.ts';
import { createRouter } from '../../../functions/api/router.ts';
import { createPageTokens } from '../../../shared/adapters/auth/page-tokens.ts';
import { createTokenVerifier } from '../../../shared/adapters/auth/token-verifier.ts';
import { memoryFeed } from '../../../shared/adapters/change-feed.ts';
import type { MemoryStore } from '../../../shared/adapters/memory/store.ts';
import { faultOfTarget } from '../../../shared/adapters/outbound/target.ts';
import type { World } from '../../../shared/app/ports.ts';
import { frames } from './frames.ts';
import { startTestIssuer } from './issuer.ts';
import { createWebhookEdge } from './webhooks.ts';
import { createTestWorld, type TestWorld } from './world.ts';

/** The whole API on the in-process store, behind real tokens of an issuer on a real address; called without a server. */
export async function startTestApi(
  world: TestWorld = createTestWorld(),
  allowHosts: string[] = [],
  groupsClaim = 'groups',
) {
  const issuer = await startTestIssuer();
  const webhooks = createWebhookEdge(world, allowHosts);
  // The waits of a test call are short; the others are the stream's.
  const after: World['after'] = (ms, call) => (ms < 5000 ? webhooks.waiting(ms, call) : world.after(ms, call));
  const router = createRouter({
    handlers: createHandlers(Object.assign(Object.create(world), { after }), createPageTokens(Buffer.alloc(32, 1)), {
      judgeUrl: (url) => faultOfTarget(url, allowHosts),
      feed: 'onCommit' in world.store ? memoryFeed(world.store as MemoryStore) : { watch: () => () => {} },
      webhooks,
      frames,
    }),
    verify: createTokenVerifier({ issuer: issuer.url, audience: 'watchpost', keysUrl: null }),
    groupsClaim,
    log: world.log,
    corsOrigins: ['https://console.example.com'],
  });
  return {
    world,
    issuer,
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
