import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { plus } from '../../../shared/domain/time.ts';
import { message } from '../../support/records/reports.ts';
import { startTestApi } from '../../support/world/api.ts';
import { frames } from '../../support/world/frames.ts';
import { startOfTests } from '../../support/world/world.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
  for (let index = 0; index < 12; index += 1) {
    const body = { groupId: index % 2 ? 'south' : 'north', memory: { usedPercent: index % 3 ? 93 : 84 } };
    const publishTime = plus(startOfTests, index * 1000);
    const each = message('status', body, { publishTime, deviceId: `cam-${index}` });
    await takeMessage(api.world, each, { bridgeDialect: 'native', autoRegister: true, frames });
  }
});
afterAll(() => api.stop());

const ids = (body: { alerts: { deviceId: string }[] }) => body.alerts.map(({ deviceId }) => deviceId);

test('alerts are listed newest first, with the members of the contract', async () => {
  const { body } = await api.call('GET', '/v1/alerts?status=active&pageSize=2');
  expect(ids(body)).toEqual(['cam-11', 'cam-10']);
  expect(body.alerts[0]).toMatchObject({
    alertId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    deviceId: 'cam-11',
    groupId: 'south',
    code: 'RES_001',
    severity: 'ERROR',
    category: 'resource',
    message: 'Memory at 93 %, limit 90 %',
    timestamp: plus(startOfTests, 11_000),
    context: { memoryUsedPercent: 93, thresholdPercent: 90 },
    resolved: false,
    resolvedAt: null,
    status: 'active',
    availableActions: ['acknowledge', 'resolve', 'snooze', 'view-history'],
  });
});

test.each([
  ['severity=WARNING', ['cam-9', 'cam-6', 'cam-3', 'cam-0']],
  ['code=RES_002&groupId=north', ['cam-6', 'cam-0']],
  ['deviceId=cam-1&deviceId=cam-2', ['cam-2', 'cam-1']],
  ['category=security', []],
  ['status=resolved', []],
  [`since=${plus(startOfTests, 9000)}&until=${plus(startOfTests, 11_000)}`, ['cam-10', 'cam-9']],
  ['orderBy=timestamp%20asc&pageSize=3', ['cam-0', 'cam-1', 'cam-2']],
])('GET /v1/alerts?%s', async (query, expected) => {
  const { status, body } = await api.call('GET', `/v1/alerts?${query}`);
  expect(status).toBe(200);
  expect(ids(body)).toEqual(expected);
});

test('pages have no gap and no repeated alert', async () => {
  const seen: string[] = [];
  let token = '';
  do {
    const { body } = await api.call('GET', `/v1/alerts?pageSize=5${token}`);
    seen.push(...ids(body));
    token = body.nextPageToken ? `&pageToken=${body.nextPageToken}` : '';
  } while (token);
  expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => `cam-${11 - index}`));
});

test('a page token of other filters, or a forged one, is refused', async () => {
  const { body } = await api.call('GET', '/v1/alerts?pageSize=5');
  for (const path of [
    `/v1/alerts?pageSize=5&severity=ERROR&pageToken=${body.nextPageToken}`,
    `/v1/alerts?pageSize=5&pageToken=${body.nextPageToken.replace(/^./, (c: string) => (c === 'W' ? 'X' : 'W'))}`,
    '/v1/alerts?pageToken=abc',
  ]) {
    const answer = await api.call('GET', path);
    expect([path, answer.status, answer.body.errors?.[0]?.pointer]).toEqual([path, 400, '?pageToken']);
  }
});

test.each([
  ['?foo=1', '?foo'],
  ['?status=broken', '?status/0'],
  ['?pageSize=0', '?pageSize'],
  ['?since=yesterday', '?since'],
  ['?__proto__=1', '?__proto__'],
])('GET /v1/alerts%s names the parameter', async (query, pointer) => {
  const { status, body } = await api.call('GET', `/v1/alerts${query}`);
  expect(status).toBe(400);
  expect(body.code).toBe('invalid-request');
  expect(body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer);
});

test('an acknowledged alert names the person, and a second acknowledgement changes nothing', async () => {
  const { body: list } = await api.call('GET', '/v1/devices/cam-5/alerts');
  const path = `/v1/alerts/${list.alerts[0].alertId}/acknowledge`;
  const first = await api.call('POST', path, { body: { comment: 'on my way' } });
  expect(first.body).toMatchObject({ status: 'acknowledged', acknowledgedBy: 'user:ana' });
  const again = await api.call('POST', path);
  expect([again.status, again.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
  const entries = await api.world.store.find({
    in: 'audit',
    where: [{ field: 'alertId', is: '==', value: list.alerts[0].alertId }],
    limit: 9,
  });
  expect(entries.map(({ data }) => [data.action, data.who, data.from, data.to, data.why])).toEqual([
    ['open', 'device', null, 'active', null],
    ['acknowledge', 'user:ana', 'active', 'acknowledged', 'on my way'],
  ]);
});

test('If-Match of another version is refused', async () => {
  const { body: list } = await api.call('GET', '/v1/devices/cam-7/alerts');
  const path = `/v1/alerts/${list.alerts[0].alertId}/acknowledge`;
  expect((await api.call('POST', path, { headers: { 'If-Match': '"9"' } })).status).toBe(412);
  expect((await api.call('POST', path, { headers: { 'If-Match': '"1"' } })).status).toBe(200);
});

test('a bearer of one group sees that group alone', async () => {
  const token = await api.issuer.token({ groups: ['south'] });
  const { body: mine } = await api.call('GET', '/v1/alerts?pageSize=50', { token });
  expect(mine.alerts.every(({ groupId }: { groupId: string }) => groupId === 'south')).toBe(true);
  const { body: all } = await api.call('GET', '/v1/alerts?groupId=north');
  const foreign = `/v1/alerts/${all.alerts[0].alertId}`;
  expect((await api.call('GET', foreign, { token })).status).toBe(404);
  expect((await api.call('POST', `${foreign}/acknowledge`, { token })).status).toBe(404);
  expect((await api.call('GET', '/v1/alerts?groupId=north', { token })).body.alerts).toEqual([]);
  expect((await api.call('GET', '/v1/devices/cam-0/alerts', { token })).status).toBe(404);
  await sweep(api.world);
  expect((await api.call('GET', '/v1/fleet', { token })).body.devices.total).toBe(6);
  const none = await api.issuer.token({ groups: [] });
  expect((await api.call('GET', '/v1/alerts', { token: none })).body.alerts).toEqual([]);
});

test('GET /v1/fleet counts devices, and open alerts by severity', async () => {
  await sweep(api.world);
  const { body } = await api.call('GET', '/v1/fleet');
  expect(body).toMatchObject({
    devices: { total: 12, online: 12, offline: 0, unknown: 0, onlinePercent: 100 },
    reach: { contacts: false },
    alerts: { open: { CRITICAL: 0, ERROR: 8, WARNING: 4, INFO: 0 } },
  });
  expect(body.recentAlerts).toHaveLength(12);
});

test.each([
  ['GET', '/v1/nothing', 404, 'not-found'],
  ['DELETE', '/v1/alerts', 405, 'method-not-allowed'],
  ['GET', '/v1/alerts/__reserved__', 404, 'not-found'],
  ['GET', '/v1/alerts/%E0%A4%A', 400, 'invalid-request'],
  ['GET', '/v1/devices/a%2Fb/alerts', 404, 'not-found'],
  ['POST', `/v1/alerts/${'a'.repeat(3000)}/acknowledge`, 404, 'not-found'],
  ['GET', '/v1/alerts/6f3c5ad2-9a0e-5a53-8c55-1d0f6c1f2b77', 404, 'not-found'],
])('%s %s is answered %i %s', async (method, path, status, code) => {
  const answer = await api.call(method, path);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
  expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId);
});

test.each([
  ['{"comment": 4}', 'application/json', 400],
  ['{"else": 1}', 'application/json', 400],
  ['not json', 'application/json', 400],
  ['comment=x', 'application/x-www-form-urlencoded', 415],
  [JSON.stringify({ comment: 'x'.repeat(70_000) }), 'application/json', 413],
])('each kind of invalid body is refused with its own status', async (text, type, status) => {
  const { body: list } = await api.call('GET', '/v1/alerts?pageSize=1');
  const headers = { 'Content-Type': type, 'Content-Length': String(text.length) };
  const path = `/v1/alerts/${list.alerts[0].alertId}/acknowledge`;
  const answer = await api.call('POST', path, { rawBody: text, headers });
  expect(answer.status).toBe(status);
});

test('only web pages of listed origins may read answers', async () => {
  const allowed = await api.call('GET', '/v1/alerts', { headers: { Origin: 'https://console.example.com' } });
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://console.example.com');
  const other = await api.call('GET', '/v1/alerts', { headers: { Origin: 'https://evil.example.com' } });
  expect(other.headers.get('access-control-allow-origin')).toBeNull();
});
