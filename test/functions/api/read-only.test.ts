import { afterEach, beforeEach, expect, test } from 'vitest';
import { routes } from '../../../shared/schema/routes.ts';
import { openTestAlert } from '../../support/records/alerts.ts';
import { allRecords } from '../../support/records/records.ts';
import { createTestRouter } from '../../support/world/api.ts';
import { issuersOf, startTestIssuer } from '../../support/world/issuer.ts';
import { createTestWorld, type TestWorld } from '../../support/world/world.ts';

let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
let world: TestWorld;
let ask: (method: string, path: string, body?: object) => Promise<Response>;
beforeEach(async () => {
  issuer = await startTestIssuer();
  world = createTestWorld();
  const { router } = createTestRouter(world, {
    issuers: issuersOf({ issuer: issuer.url }),
    allowHosts: [],
    isReadOnly: true,
  });
  ask = async (method, path, body) =>
    router.fetch(
      new Request(`http://watchpost.test${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${await issuer.token()}`,
          ...(body ? { 'Content-Type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    );
});
afterEach(() => issuer.stop());

const refused = async (response: Response) => ({
  status: response.status,
  retryAfter: response.headers.get('Retry-After'),
  code: (await response.json()).code,
});
const readOnly = { status: 503, retryAfter: '60', code: 'unavailable' };

test('while the database is restored every write is refused with 503 and when to try again, and nothing is written', async () => {
  await openTestAlert(world);
  const before = JSON.stringify(await allRecords(world.store));
  const writes = Object.entries(routes).filter(([, { method }]) => method !== 'get');
  expect(writes.length).toBeGreaterThan(40);
  for (const [operation, { method, path }] of writes) {
    const answer = await refused(await ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), {}));
    expect({ operation, ...answer }).toEqual({ operation, ...readOnly });
  }
  const link = await ask('POST', '/t/0123456789012345678901');
  expect([link.status, link.headers.get('Retry-After')]).toEqual([503, '60']);
  expect(JSON.stringify(await allRecords(world.store))).toBe(before);
});

test('records can be read, and a stream is refused: it would show a database that is being left', async () => {
  const alertId = await openTestAlert(world);
  expect((await ask('GET', `/v1/alerts/${alertId}`)).status).toBe(200);
  expect(await refused(await ask('GET', '/v1/stream'))).toEqual(readOnly);
});

test('a write needs no token to be refused, so that anybody can see whether writing is possible', async () => {
  const { router } = createTestRouter(world, { issuers: [], allowHosts: [], isReadOnly: true });
  const response = await router.fetch(new Request('http://watchpost.test/v1/erasures', { method: 'POST' }));
  expect(await refused(response)).toEqual(readOnly);
});
