import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientIdentity } from '../support/net/client-certificates.ts';
import { startTestApi } from '../support/world/api.ts';
import { hostileTargets } from './hostile-targets.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const url = 'https://hooks.example.com/watchpost';
const oauth2 = {
  tokenUrl: 'https://tokens.example.com/',
  clientId: 'watchpost',
  clientSecret: 'planted-client-secret',
};
const create = (body: object, token?: string) =>
  api.call('POST', '/v1/webhooks', { body: { url, ...body }, ...(token ? { token } : {}) });

test('no address of tokens leads where an endpoint may not', async () => {
  for (const tokenUrl of Object.values(hostileTargets).flat()) {
    const { status, body } = await create({ oauth2: { ...oauth2, tokenUrl } });
    expect([tokenUrl, status]).toEqual([tokenUrl, 400]);
    expect(body.errors.every(({ pointer }: { pointer: string }) => pointer === '/oauth2/tokenUrl')).toBe(true);
  }
});

test('keys and secrets of an endpoint are in no answer, no audit entry, no log line and no readable record', async () => {
  const clientCertificate = clientIdentity();
  const planted = [oauth2.clientSecret, clientCertificate.key.split('\n')[1] ?? '?'];
  const { body } = await create({ oauth2, clientCertificate });
  const path = `/v1/webhooks/${body.webhookId}`;
  const answers = [body];
  for (const each of [path, '/v1/webhooks', '/v1/audit', '/v1/events?types=audit']) {
    answers.push((await api.call('GET', each)).body);
  }
  const kept = await Promise.all(
    (['webhooks', 'audit', 'auditStream', 'events'] as const).map((kind) =>
      api.world.store.find({ in: kind, limit: 100 }),
    ),
  );
  const seen = JSON.stringify([answers, kept, api.world.lines]);
  expect(planted.filter((secret) => seen.includes(secret))).toEqual([]);
});

test('a filter or a template shows a limited token no group that is not its own', async () => {
  const north = await api.issuer.token({ groups: ['north'] });
  for (const given of [
    {},
    { filter: { severities: ['CRITICAL'] } },
    { filter: { groups: ['south'], codes: ['*'] } },
    { filter: { groups: ['north', 'south'] } },
    { filter: { groups: ['north'] }, events: ['audit'], template: '{"a":"{{entry}}"}' },
  ]) {
    const { status } = await create(given, north);
    expect([given, status]).toEqual([given, 400]);
  }
});
