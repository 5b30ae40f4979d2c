import { createHandlers } from '../../../functions/api/handlers.ts';
import { createRouter } from '../../../functions/api/router.ts';
import { createAuthenticator } from '../../../shared/adapters/auth/bearer-auth.ts';
import { createPageTokens } from '../../../shared/adapters/auth/page-tokens.ts';
import { createScrapeCaller } from '../../../shared/adapters/auth/scrape-token.ts';
import { createLimits, type Limits } from '../../../shared/adapters/http/limits.ts';
import { faultOfTarget } from '../../../shared/adapters/outbound/guard.ts';
import { createRefusals } from '../../../shared/app/audit/refusals.ts';
import { createChangeStream } from '../../../shared/app/fleet/change-stream.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { Issuer } from '../../../shared/settings-issuers.ts';
import { undescribed } from './described.ts';
import { frames } from './frames.ts';
import { issuersOf, startTestIssuer } from './issuer.ts';
import { createWebhookEdge } from './webhooks.ts';
import { createTestWorld, type TestWorld } from './world.ts';

/** Tests send more requests per second than people per hour, so this limit is never reached. */
const farAway = createLimits(() => performance.now(), 1_000_000_000);

type Edge = {
  issuers: readonly Issuer[];
  allowHosts: string[];
  limits?: Limits;
  webhookChallenge?: 'off' | 'required';
  isReadOnly?: boolean;
};

/** Polling interval of streams and the feed in tests, milliseconds. `createTestRouter` shortens each such wait to 5 ms. */
const feedEveryMs = 100;

/** All routes of the API in a world, without a server. */
export function createTestRouter(
  world: TestWorld,
  { issuers, allowHosts, limits = farAway, webhookChallenge = 'off', isReadOnly = false }: Edge,
) {
  const webhooks = createWebhookEdge(world, allowHosts, {}, webhookChallenge);
  // During a wait below five seconds, for example for a test event, `deliver` makes an attempt. Longer waits belong to the stream.
  const after: World['after'] = (ms, call) => {
    // A poll takes 5 ms, so that a call that waits for events returns soon.
    if (ms <= feedEveryMs) return world.after(5, call);
    return ms < 5000 ? webhooks.waiting(ms, call) : world.after(ms, call);
  };
  const acting = { ...world, after };
  const tokens = createPageTokens(Buffer.alloc(32, 1));
  const parts = {
    judgeUrl: (url: string) => faultOfTarget(url, allowHosts),
    stream: createChangeStream(acting, feedEveryMs),
    webhooks,
    frames,
    limits,
    feedEveryMs,
    ledger: world.ledger?.objects ?? null,
  };
  const refusals = createRefusals(world, { instance: 'test', maxInstances: 10 });
  const router = createRouter({
    world: acting,
    handlers: createHandlers(tokens, parts),
    refusals,
    trustedProxies: 1,
    authenticate: createAuthenticator(issuers),
    scrapeCaller: createScrapeCaller(scrapeToken),
    limits,
    isReadOnly,
    corsOrigins: ['https://console.example.com'],
  });
  return { router, refusals };
}

/** The scrape token of the tests' monitoring system. */
export const scrapeToken = 'scrape.0123456789.0123456789.0123456789';

function bodyOf({ headers }: Response, text: string) {
  if (text === '') return null;
  return headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

/** The whole API on the in-process store, with real tokens of a real issuer, called without a server. */
export async function startTestApi(
  world: TestWorld = createTestWorld(),
  allowHosts: string[] = [],
  entry: Partial<Issuer> = {},
  limits?: Limits,
  webhookChallenge: 'off' | 'required' = 'off',
) {
  const issuer = await startTestIssuer();
  const issuers = issuersOf({ issuer: issuer.url, ...entry });
  const edge = { issuers, allowHosts, webhookChallenge, ...(limits ? { limits } : {}) };
  const { router, refusals } = createTestRouter(world, edge);
  return {
    world,
    issuer,
    refusals,
    /** `bindings`: what Node's server passes with a request. */
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
