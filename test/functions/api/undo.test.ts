import { afterAll, expect, test } from 'vitest';
import { rollUpTrends } from '../../../shared/app/fleet/trends.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import { alertOf, giveTeam, messagesOf, openTestAlert } from '../../support/records/alerts.ts';
import { sentDeliveries, storeDelivery } from '../../support/records/deliveries.ts';
import { message } from '../../support/records/reports.ts';
import { startTestApi } from '../../support/world/api.ts';
import { frames } from '../../support/world/frames.ts';
import { createWays } from '../../support/world/ways.ts';
import { createTestWorld, type TestWorld } from '../../support/world/world.ts';

type Api = Awaited<ReturnType<typeof startTestApi>>;
const started: Api[] = [];

afterAll(() => Promise.all(started.map((api) => api.stop())));

async function start(world: TestWorld = createTestWorld()): Promise<Api> {
  const api = await startTestApi(world);
  started.push(api);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  return api;
}

const act = (api: Api, id: string, action: string, body: object = {}, token?: string) =>
  api.call('POST', `/v1/alerts/${id}/${action}`, { body, ...(token ? { token } : {}) });

test('an acknowledgement can be undone after 59 s: nobody is notified, the response time continues, and the trail has both', async () => {
  const api = await start();
  const id = await openTestAlert(api.world);
  const before = await alertOf(api.world, id);
  api.world.pass(30);
  const acknowledged = await act(api, id, 'acknowledge');
  expect(acknowledged.body).toMatchObject({ status: 'acknowledged', undoUntil: '2026-11-20T10:01:30.000Z' });
  const notified = (await messagesOf(api.world)).length;
  api.world.pass(59);
  const undone = await act(api, id, 'unacknowledge', { comment: 'the wrong camera' });
  expect(undone.status).toBe(200);
  expect(undone.body).toMatchObject({ status: 'active', acknowledgedAt: null, acknowledgedBy: null });
  expect(undone.body).not.toHaveProperty('undoUntil');
  const after = await alertOf(api.world, id);
  expect(after).toMatchObject({ respondBy: before.respondBy, dueAt: before.dueAt, undo: null });
  expect(await messagesOf(api.world)).toHaveLength(notified);
  const { body } = await api.call('GET', `/v1/alerts/${id}/history`);
  expect(body.entries.map(({ action, from, to, why }: Record<string, unknown>) => [action, from, to, why])).toEqual([
    ['open', null, 'active', null],
    ['acknowledge', 'active', 'acknowledged', null],
    ['unacknowledge', 'acknowledged', 'active', 'the wrong camera'],
  ]);
});

test('an undo after 61 s, or by another person, is refused', async () => {
  const api = await start();
  const id = await openTestAlert(api.world);
  await act(api, id, 'acknowledge');
  const other = await act(api, id, 'unacknowledge', {}, await api.issuer.token({ sub: 'bob' }));
  expect(other.status).toBe(409);
  expect(other.body).toMatchObject({ code: 'invalid-transition', alertStatus: 'acknowledged' });
  api.world.pass(61);
  expect((await act(api, id, 'unacknowledge')).status).toBe(409);
  expect((await api.call('GET', `/v1/alerts/${id}`)).body.status).toBe('acknowledged');
});

test('an undo after the response time has passed escalates at once, in the same commit', async () => {
  const api = await start();
  const id = await openTestAlert(api.world);
  api.world.pass(290);
  await act(api, id, 'acknowledge');
  api.world.pass(30);
  const notified = (await messagesOf(api.world)).length;
  expect((await act(api, id, 'unacknowledge')).body).toMatchObject({ status: 'escalated', team: 'operations' });
  // The window of the first message has closed by then, so the escalation is a message of its own.
  expect((await messagesOf(api.world)).length).toBe(notified + 1);
  const entries = (await api.call('GET', `/v1/alerts/${id}/history`)).body.entries;
  expect(entries.map(({ action }: { action: string }) => action).slice(-2)).toEqual(['unacknowledge', 'escalate']);
});

test('an undo makes an escalated alert escalated again, and its reminder continues', async () => {
  const world = createTestWorld();
  const api = await start(world);
  await api.call('POST', '/v1/rules', {
    body: { name: 'all', condition: { code: 'CONN_*' }, action: { escalate_to: 'operations' } },
  });
  const id = await openTestAlert(world);
  const before = await alertOf(world, id);
  expect(before).toMatchObject({ status: 'escalated' });
  await act(api, id, 'acknowledge');
  world.pass(20);
  expect((await act(api, id, 'unacknowledge')).body).toMatchObject({ status: 'escalated', team: 'operations' });
  expect(await alertOf(world, id)).toMatchObject({ remindAt: before.remindAt, escalatedAt: before.escalatedAt });
});

test('an undo is refused after another action, but not after a note; a second undo changes nothing', async () => {
  const api = await start();
  const [resolved, noted] = [await openTestAlert(api.world), await openTestAlert(api.world)];
  await act(api, resolved, 'acknowledge');
  await act(api, resolved, 'resolve');
  expect((await act(api, resolved, 'unacknowledge')).status).toBe(409);
  await act(api, noted, 'acknowledge');
  await act(api, noted, 'notes', { text: 'on my way' });
  expect((await act(api, noted, 'unacknowledge')).body.status).toBe('active');
  const { version } = await alertOf(api.world, noted);
  expect((await act(api, noted, 'unacknowledge')).status).toBe(200);
  expect((await alertOf(api.world, noted)).version).toBe(version);
});

test('a repeated acknowledgement by the same person shows the same `undoUntil`', async () => {
  const api = await start();
  const id = await openTestAlert(api.world);
  const first = await act(api, id, 'acknowledge');
  api.world.pass(5);
  expect((await act(api, id, 'acknowledge')).body.undoUntil).toBe(first.body.undoUntil);
  expect((await act(api, id, 'acknowledge', {}, await api.issuer.token({ sub: 'bob' }))).body).not.toHaveProperty(
    'undoUntil',
  );
  expect((await api.call('GET', `/v1/alerts/${id}`)).body).not.toHaveProperty('undoUntil');
});

test('undoing a snooze restores the earlier snooze, or none', async () => {
  const api = await start();
  const id = await openTestAlert(api.world);
  const before = await alertOf(api.world, id);
  const until = '2026-11-20T12:00:00.000Z';
  expect((await act(api, id, 'snooze', { until })).body.undoUntil).toBe('2026-11-20T10:01:00.000Z');
  expect((await act(api, id, 'unsnooze')).body.snoozedUntil).toBeNull();
  expect(await alertOf(api.world, id)).toMatchObject({ respondBy: before.respondBy, isSnoozed: false });
  await act(api, id, 'snooze', { until });
  await act(api, id, 'snooze', { minutes: 5 });
  expect((await act(api, id, 'unsnooze')).body.snoozedUntil).toBe(until);
  expect((await act(api, id, 'unsnooze')).status).toBe(409);
});

test('an acknowledgement that was undone no longer counts among the times to acknowledge', async () => {
  const api = await start();
  const id = await openTestAlert(api.world);
  api.world.pass(60);
  await act(api, id, 'acknowledge');
  const count = async () => {
    await rollUpTrends(api.world);
    return (await api.call('GET', '/v1/fleet/trends')).body.timeToAcknowledge.count;
  };
  expect(await count()).toBe(1);
  await act(api, id, 'unacknowledge');
  expect(await count()).toBe(0);
});

test('an endpoint that got an acknowledgement gets its undo too', async () => {
  const api = await start();
  await api.call('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/', events: ['alert'] } });
  const id = await openTestAlert(api.world);
  await act(api, id, 'acknowledge');
  await act(api, id, 'unacknowledge');
  const sent = (await sentDeliveries(api.world.store)).filter(({ channel }) => channel === 'webhook');
  expect(sent.map(({ body }) => JSON.parse(body).change).toSorted()).toEqual([
    'acknowledged',
    'opened',
    'unacknowledged',
  ]);
});

test('one request can undo many acknowledgements', async () => {
  const api = await start();
  const alertIds = [await openTestAlert(api.world), await openTestAlert(api.world)];
  const acknowledged = await api.call('POST', '/v1/alerts/batch', { body: { action: 'acknowledge', alertIds } });
  expect(acknowledged.body.results.map((each: { alert: object }) => each.alert)).toMatchObject([
    { undoUntil: '2026-11-20T10:01:00.000Z' },
    { undoUntil: '2026-11-20T10:01:00.000Z' },
  ]);
  const undone = await api.call('POST', '/v1/alerts/batch', { body: { action: 'unacknowledge', alertIds } });
  expect(undone.body.results).toMatchObject([{ status: 200 }, { status: 200 }]);
});

test('the dismissal of a delivery can be undone for a minute by the same person', async () => {
  const api = await start();
  const { deliveryId: id, ...rest } = await storeDelivery(api.world.store, 's-1');
  const [stored] = await api.world.store.get('deliveries', [id]);
  if (!stored) throw new Error('not stored');
  const failed = { ...rest, deliveryId: id, status: 'failed', dueAt: null, finishedAt: api.world.now() } as const;
  await api.world.store.commit([{ kind: 'replace', in: 'deliveries', id, data: failed, revision: stored.revision }]);
  const post = (action: string, token?: string) =>
    api.call('POST', `/v1/deliveries/${id}/${action}`, token ? { token } : {});
  api.world.pass(10);
  expect((await post('dismiss')).body).toMatchObject({ status: 'dismissed', undoUntil: '2026-11-20T10:01:10.000Z' });
  expect((await post('restore', await api.issuer.token({ sub: 'bob' }))).status).toBe(409);
  api.world.pass(59);
  expect((await post('restore')).body).toMatchObject({ status: 'failed', finishedAt: failed.finishedAt });
  expect((await post('restore')).status).toBe(200);
  await post('dismiss');
  api.world.pass(61);
  expect((await post('restore')).body).toMatchObject({ code: 'invalid-transition', deliveryStatus: 'dismissed' });
});

test('the dismissal of a quarantined report can be undone for a minute by the same person', async () => {
  const api = await start();
  const sent = message('status', { memory: { usedPercent: 'much' } });
  await takeMessage(api.world, sent, { bridgeDialect: 'native', autoRegister: true, frames });
  const post = (action: string, token?: string) =>
    api.call('POST', `/v1/quarantine/${sent.messageId}/${action}`, token ? { token } : {});
  const dismissed = await post('dismiss');
  expect(dismissed.body).toMatchObject({ status: 'dismissed', undoUntil: '2026-11-20T10:01:00.000Z' });
  expect(dismissed.body).not.toHaveProperty('undo');
  expect((await post('restore', await api.issuer.token({ sub: 'bob' }))).status).toBe(409);
  api.world.pass(59);
  const restored = await post('restore');
  expect(restored.body).toMatchObject({ status: 'quarantined' });
  expect(restored.body).not.toHaveProperty('undo');
  await post('dismiss');
  api.world.pass(61);
  expect((await post('restore')).status).toBe(409);
});

test('open alerts get a new name of their camera, ended alerts keep the old one', async () => {
  const api = await start();
  const deviceId = 'cam-named';
  const say = (body: object) =>
    takeMessage(api.world, message('status', body, { deviceId, publishTime: api.world.now() }), {
      bridgeDialect: 'native',
      autoRegister: true,
      frames,
    });
  const alerts = async () => {
    const { body } = await api.call('GET', `/v1/devices/${deviceId}/alerts?status=all`);
    return Object.fromEntries(
      body.alerts.map((alert: { code: string; deviceName: string | null }) => [alert.code, alert.deviceName]),
    );
  };
  await say({ memory: { usedPercent: 93 }, mqtt: { latencyMs: 900 } });
  expect(await alerts()).toEqual({ RES_001: null, CONN_003: null });
  api.world.pass(60);
  await say({ name: 'Loading bay', mqtt: { latencyMs: 10 } });
  expect(await alerts()).toEqual({ RES_001: 'Loading bay', CONN_003: null });
  await api.call('PATCH', `/v1/devices/${deviceId}`, { body: { name: 'Gate 2' } });
  expect(await alerts()).toEqual({ RES_001: 'Gate 2', CONN_003: null });
  const { body } = await api.call('GET', `/v1/devices/${deviceId}/alerts?status=resolved`);
  const reopened = await act(api, body.alerts[0].alertId, 'reopen');
  expect(reopened.body.deviceName).toBe('Gate 2');
  expect(await alerts()).toEqual({ RES_001: 'Gate 2', CONN_003: 'Gate 2' });
});

test('an empty fleet has no percentage, and the share of online cameras is rounded down', async () => {
  const api = await start();
  const ways = createWays(api.world);
  await ways.sweep();
  expect((await api.call('GET', '/v1/fleet')).body.devices).toMatchObject({ total: 0, onlinePercent: null });
  for (let index = 0; index < 3; index += 1) {
    const sent = message('status', {}, { deviceId: `cam-p${index}`, publishTime: api.world.now() });
    await takeMessage(api.world, sent, { bridgeDialect: 'native', autoRegister: true, frames });
  }
  const lost = message('connection', { status: 'offline' }, { deviceId: 'cam-p2', publishTime: api.world.pass(60) });
  await takeMessage(api.world, lost, { bridgeDialect: 'native', autoRegister: true, frames });
  await ways.sweep();
  expect((await api.call('GET', '/v1/fleet')).body.devices.onlinePercent).toBe(66.6);
});
