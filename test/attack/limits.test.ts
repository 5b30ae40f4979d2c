import { afterEach, expect, test } from 'vitest';
import { createLimits } from '../../shared/adapters/http/limits.ts';
import { quotas } from '../../shared/app/settings/configuration.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { createTestWorld } from '../support/world/world.ts';

type Api = Awaited<ReturnType<typeof startTestApi>>;
let api: Api;
let elapsedMs = 0;
afterEach(() => api.stop());

async function start(): Promise<Api> {
  elapsedMs = 0;
  api = await startTestApi(
    createTestWorld(),
    [],
    {},
    createLimits(() => elapsedMs, 600),
  );
  return api;
}

/** Every kind of bearer. */
const bearers = [
  ['of all groups', { sub: 'ana', groups: '*' }],
  ['limited to groups', { sub: 'eve', groups: ['north'] }],
  ['without a scope', { sub: 'bare', scope: '' }],
  ['of no groups', { sub: 'nobody', groups: [] }],
] as const;
const enough = 'alerts:read settings:read webhooks:write webhooks:read';

test.each(bearers)('a bearer %s may send 100 requests at once and 600 a minute, no more', async (_, claims) => {
  const { call, issuer } = await start();
  const token = await issuer.token(claims as never);
  const ask = async () => (await call('GET', '/v1/fleet', { token })).status;
  let through = 0;
  for (let index = 0; index < 100; index += 1) expect(await ask()).not.toBe(429);
  const refused = await call('GET', '/v1/fleet', { token });
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    429,
    'too-many-requests',
    '1',
  ]);
  elapsedMs += 99;
  expect(await ask()).toBe(429);
  elapsedMs += 1;
  expect(await ask()).not.toBe(429);
  expect(await ask()).toBe(429);
  for (let second = 0; second < 60; second += 1) {
    elapsedMs += 1000;
    for (let index = 0; index < 11; index += 1) through += (await ask()) === 429 ? 0 : 1;
  }
  expect(through).toBe(600);
  // The limit is per subject.
  expect((await call('GET', '/v1/fleet', { token: await issuer.token({ sub: 'other' }) })).status).toBe(200);
  score('S15', `requests of a bearer ${_}`, 100 + 3 + 660, 0);
});

test.each(bearers.slice(0, 2))('a bearer %s may send 30 expensive requests a minute in total', async (_, claims) => {
  const { call, issuer } = await start();
  const token = await issuer.token({ ...claims, scope: enough } as never);
  const body = { rule: { name: 'a', condition: { code: '*' }, action: { priority: 'P1' } } };
  const id = '00000000-0000-4000-8000-000000000001';
  const day = 'from=2026-11-19T00:00:00Z&to=2026-11-20T00:00:00Z';
  const asks = [
    () => call('GET', '/v1/fleet/trends', { token }),
    () => call('POST', '/v1/rules/preview', { token, body }),
    () => call('GET', `/v1/alerts/${id}/explain`, { token }),
    () => call('POST', `/v1/webhooks/${id}/explain`, { token, body: {} }),
    () => call('POST', `/v1/webhooks/${id}/replay`, { token, body: { since: '2026-11-20T00:00:00Z' } }),
    () => call('POST', `/v1/webhooks/${id}/test`, { token, body: {} }),
    () => call('POST', `/v1/deliveries/${id}/redeliver`, { token, body: {} }),
    () => call('GET', `/v1/reports/availability?${day}`, { token }),
    () => call('GET', `/v1/ledger/proof?deviceId=cam-1&${day}`, { token }),
  ];
  for (let index = 0; index < 30; index += 1) expect((await asks[index % asks.length]?.())?.status).not.toBe(429);
  for (const ask of asks) {
    const answer = await ask();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '2']);
  }
  expect((await call('GET', '/v1/fleet', { token })).status).toBe(200);
  elapsedMs += 2000;
  expect((await asks[0]?.())?.status).not.toBe(429);
  expect((await asks[1]?.())?.status).toBe(429);
  score('S15', `expensive reads of a bearer ${_}`, 30 + 9, 0);
});

test.each(bearers.slice(0, 2))('a bearer %s may have four streams open at the same time', async (_, claims) => {
  const { fetch, issuer } = await start();
  const headers = { Authorization: `Bearer ${await issuer.token({ ...claims, scope: enough } as never)}` };
  const open = () => fetch(new Request('http://watchpost.test/v1/stream', { headers }));
  const streams = [await open(), await open(), await open(), await open()];
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const fifth = await open();
  expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '10']);
  await streams[0]?.body?.cancel();
  const next = await open();
  expect(next.status).toBe(200);
  expect((await open()).status).toBe(429);
  for (const stream of [...streams.slice(1), next]) await stream.body?.cancel();
  score('S15', `streams of a bearer ${_}`, 7, 0);
});

test('a stream ends when its token expires, and another stream may then open', async () => {
  const { fetch, issuer } = await start();
  const token = await issuer.token({ exp: Math.floor(Date.now() / 1000) + 2 });
  const headers = { Authorization: `Bearer ${token}` };
  const open = () => fetch(new Request('http://watchpost.test/v1/stream', { headers }));
  const streams = [await open(), await open(), await open(), await open()];
  const startedAt = Date.now();
  for (const stream of streams) await stream.text();
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  expect((await open()).status).toBe(200);
});

test.each([
  ['of all groups', '*'],
  ['limited to the group', ['north']],
])('a group may have 50 endpoints; a bearer %s cannot create another', async (_, groups) => {
  const { call, issuer } = await start();
  elapsedMs = Number.MAX_SAFE_INTEGER / 2;
  const token = await issuer.token({ sub: 'eve', groups });
  const ask = (named: string[]) => {
    elapsedMs += 1000;
    return call('POST', '/v1/webhooks', {
      token,
      body: { url: 'https://hooks.example.com/', filter: { groups: named } },
    });
  };
  for (let index = 0; index < quotas.webhooks; index += 1) expect((await ask(['north'])).status).toBe(201);
  const beyond = await ask(['north']);
  expect([beyond.status, beyond.body.code, beyond.body.groupId]).toEqual([409, 'quota-exceeded', 'north']);
  const { body } = await call('GET', '/v1/webhooks', { token });
  const [{ webhookId }] = body.webhooks;
  // At the quota an existing endpoint can still be changed, and deleting it frees a place.
  expect((await call('PATCH', `/v1/webhooks/${webhookId}`, { token, body: { enabled: false } })).status).toBe(200);
  expect((await call('DELETE', `/v1/webhooks/${webhookId}`, { token })).status).toBe(204);
  // Of two concurrent requests for the last place, one succeeds.
  const both = await Promise.all([ask(['north']), ask(['north'])]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  const all = await issuer.token();
  const elsewhere = await call('POST', '/v1/webhooks', {
    token: all,
    body: { url: 'https://hooks.example.com/', filter: { groups: ['south'] } },
  });
  expect(elsewhere.status).toBe(201);
  const moved = await call('PATCH', `/v1/webhooks/${elsewhere.body.webhookId}`, {
    token: all,
    body: { filter: { groups: ['south', 'north'] } },
  });
  expect(moved.status).toBe(409);
  score('S15', `endpoints of a group, by a bearer ${_}`, quotas.webhooks + 7, 0);
});

test('a group may have 100 rules; the next one is refused', async () => {
  const { call } = await start();
  const rule = (name: string, group: string[]) => ({
    name,
    condition: { code: '*', group },
    action: { priority: 'P1' },
  });
  const ask = (name: string, group: string[]) => {
    elapsedMs += 1000;
    return call('POST', '/v1/rules', { body: rule(name, group) });
  };
  for (let index = 0; index < quotas.rules; index += 1) expect((await ask(`r${index}`, ['north'])).status).toBe(201);
  const beyond = await ask('beyond', ['south', 'north']);
  expect([beyond.status, beyond.body.code, beyond.body.groupId]).toEqual([409, 'quota-exceeded', 'north']);
  const { body } = await ask('elsewhere', ['south']);
  const moved = await call('PUT', `/v1/rules/${body.ruleId}`, { body: rule('elsewhere', ['north']) });
  expect(moved.status).toBe(409);
  score('S15', 'rules of a group', quotas.rules + 3, 0);
});
