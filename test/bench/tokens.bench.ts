import { createHash } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { authenticate } from '../../shared/adapters/auth/bearer-auth.ts';
import { createTokenVerifier } from '../../shared/adapters/auth/token-verifier.ts';
import type { Limits } from '../../shared/adapters/http/limits.ts';
import { createLimits } from '../../shared/adapters/http/limits.ts';
import { openTestAlert } from '../support/records/alerts.ts';
import { createTestRouter } from '../support/world/api.ts';
import { startTestIssuer } from '../support/world/issuer.ts';
import { createTestWorld } from '../support/world/world.ts';
import { cpuOf, interleaved, median, spreadOf } from './frame/measure.ts';
import { type Bench, rowOf } from './frame/row.ts';

const counts = { tiny: 20, quick: 500, full: 2000 };
const width = 8;
const groups = { name: 'groups', isOptional: false };

const noLimits: Limits = {
  take() {},
  takeLink() {},
  takeGuess() {},
  openStream: () => () => {},
  awaitEvents: () => () => {},
};

/** Reads one alert through the whole router with a token that was seen before, with the limits of subjects and without. */
async function requestsOf(issuer: string, token: string) {
  const world = createTestWorld();
  const id = await openTestAlert(world);
  const given = { issuer, allowHosts: [], groupsClaim: groups };
  const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '203.0.113.9' };
  const asking = (limits: Limits) => {
    const { router } = createTestRouter(world, { ...given, limits });
    return async () => {
      const answer = await router.fetch(new Request(`http://watchpost.test/v1/alerts/${id}`, { headers }));
      if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
      await answer.arrayBuffer();
      world.lines.length = 0;
    };
  };
  return { limited: asking(createLimits(() => performance.now(), 1_000_000_000)), unlimited: asking(noLimits) };
}

/** P11: authentication, from the header to scopes and groups, with a token that was never seen before and with one that was. */
export const measure: Bench = async ({ size }) => {
  const count = counts[size];
  const rounds = size === 'tiny' ? 1 : 9;
  const issuer = await startTestIssuer('ES256');
  const expected = { issuer: issuer.url, audience: 'watchpost', algorithms: ['ES256'], clockTolerance: 30 };
  const keys = createRemoteJWKSet(new URL(`${issuer.url}/jwks`));
  const tokens = await Promise.all(Array.from({ length: count }, (_, index) => issuer.token({ jti: String(index) })));
  const headers = tokens.map((token) => `Bearer ${token}`);
  const verify = createTokenVerifier({ issuer: issuer.url, audience: 'watchpost', keysUrl: null });
  const digests = new Map<string, number>();
  const [seen = ''] = tokens;
  const requests = await requestsOf(issuer.url, seen);
  const figures = await interleaved(rounds, {
    limited: () => cpuOf(count, 1, requests.limited),
    unlimited: () => cpuOf(count, 1, requests.unlimited),
    unseen: async () => {
      const fresh = createTokenVerifier({ issuer: issuer.url, audience: 'watchpost', keysUrl: null });
      await authenticate(`Bearer ${await issuer.token()}`, fresh, groups);
      return cpuOf(count, width, (index) => authenticate(headers[index], fresh, groups));
    },
    jose: () => cpuOf(count, width, (index) => jwtVerify(tokens[index] ?? '', keys, expected)),
    seen: () => cpuOf(count * 10, 1, () => authenticate(headers[0], verify, groups)),
    digest: () =>
      cpuOf(count * 10, 1, async () => {
        digests.set(createHash('sha256').update(seen).digest('base64'), 1);
      }),
  });
  await issuer.stop();
  const unseen = median(figures.unseen);
  const jose = [{ name: 'jose jwtVerify, ES256', value: median(figures.jose) }];
  const note = `${width} at a time; rounds ${spreadOf(figures.unseen)} and ${spreadOf(figures.jose)}`;
  const digest = [{ name: 'a digest and a look into a map', value: median(figures.digest) }];
  const spread = `rounds ${spreadOf(figures.seen, 1)}`;
  return [
    rowOf({
      id: 'P11',
      what: 'bearer check, token never seen',
      unit: 'µs',
      ours: unseen,
      beside: jose,
      goal: 1.3,
      goalOf: 'ratio',
      note,
    }),
    rowOf({
      id: 'P11',
      what: 'bearer check, token seen',
      unit: 'µs',
      ours: median(figures.seen),
      beside: digest,
      goal: 2.5,
      goalOf: 'ratio',
      note: spread,
    }),
    rowOf({
      id: 'P11',
      what: 'request with a seen token, under the limits of subjects',
      unit: 'µs',
      ours: median(figures.limited),
      beside: [{ name: 'the same router without limits', value: median(figures.unlimited) }],
      goal: 1.15,
      goalOf: 'ratio',
      note: `GET of one alert, in process; rounds ${spreadOf(figures.limited)} and ${spreadOf(figures.unlimited)}`,
    }),
  ];
};
