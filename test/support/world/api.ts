import { createHandlers } from '../../../functions/api/handlers.ts';
import { createRouter } from '../../../functions/api/router.ts';
import type { GroupsClaim } from '../../../shared/adapters/auth/bearer-auth.ts';
import { createPageTokens } from '../../../shared/adapters/auth/page-tokens.ts';
import { createScrapeCaller } from '../../../shared/adapters/auth/scrape-token.ts';
import { createTokenVerifier } from '../../../shared/adapters/auth/token-verifier.ts';
import { memoryFeed } from '../../../shared/adapters/change-feed.ts';
import { createLimits, type Limits } from '../../../shared/adapters/http/limits.ts';
import type { MemoryStore } from '../../../shared/adapters/memory/store.ts';
import { faultOfTarget } from '../../../shared/adapters/outbound/target.ts';
import { createRefusals } from '../../../shared/app/audit/refusals.ts';
import { createChangeStream } from '../../../shared/app/fleet/change-stream.ts';
import type { World } from '../../../shared/app/ports.ts';
import { undescribed } from './described.ts';
import { frames } from './frames.ts';
import { startTestIssuer } from './issuer.ts';
import { createWebhookEdge } from './webhooks.ts';
import { createTestWorld, type TestWorld } from './world.ts';

/** Tests ask more in a second than people do in an hour. */
const farAway = createLimits(() => performance.now(), 1_000_000_000);

type Edge = {
  issuer: string;
  allowHosts: string[];
  groupsClaim: GroupsClaim;
  limits?: Limits;
  webhookChallenge?: 'off' | 'required';
};

/** Every route of the API in a world, without a server. */
export function createTestRouter(
  world: TestWorld,
  { issuer, allowHosts, groupsClaim, limits = farAway, webhookChallenge = 'off' }: Edge,
) {
  const webhooks = createWebhookEdge(world, allowHosts, {}, webhookChallenge);
  // The waits of a test call are short; the others are the stream's.
  const after: World['after'] = (ms, call) => (ms < 5000 ? webhooks.waiting(ms, call) : world.after(ms, call));
  const acting = { ...world, after };
  const tokens = createPageTokens(Buffer.alloc(32, 1));
  const feed = 'onCommit' in world.store ? memoryFeed(world.store as MemoryStore) : { watch: () => () => {} };
  const parts = {
    judgeUrl: (url: string) => faultOfTarget(url, allowHosts),
    stream: createChangeStream(acting, feed),
    webhooks,
    frames,
    limits,
    ledger: world.ledger?.objects ?? null,
  };
  const refusals = createRefusals(world, { instance: 'test', maxInstances: 10 });
  const router = createRouter({
    world: acting,
    handlers: createHandlers(tokens, parts),
    refusals,
    trustedProxies: 1,
    verify: createTokenVerifier({ issuer, audience: 'watchpost', keysUrl: null }),
    groupsClaim,
    scrapeCaller: createScrapeCaller(scrapeToken),
    limits,
    corsOrigins: ['https://console.example.com'],
  });
  return { router, refusals };
}

/** What a monitoring system of the tests calls with. */
export const scrapeToken = 'scrape.0123456789.0123456789.0123456789';

function bodyOf({ headers }: Response, text: string) {
  if (text === '') return null;
  return headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

/** The whole API on the in-process store, behind real tokens of an issuer on a real address; called without a server. */
export async function startTestApi(
  world: TestWorld = createTestWorld(),
  allowHosts: string[] = [],
  groupsClaim: GroupsClaim = { name: 'groups', isOptional: false },
  limits?: Limits,
  webhookChallenge: 'off' | 'required' = 'off',
) {
  const issuer = await startTestIssuer();
  const edge = { issuer: issuer.url, allowHosts, groupsClaim, webhookChallenge, ...(limits ? { limits } : {}) };
  const { router, refusals } = createTestRouter(world, edge);
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
      const answer = { status: response.status, headers: response.headers, body: bodyOf(response, text) };
      const faults = undescribed({ method, path }, answer);
      if (faults.length > 0)
        throw new Error(`${method} ${path} is not as openapi.json describes it: ${faults.join('; ')}`);
      return answer;
    },
    stop: () => issuer.stop(),
  };
}
