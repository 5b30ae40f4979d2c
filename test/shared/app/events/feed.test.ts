import { Value } from 'typebox/value';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { positionAt } from '../../../../shared/app/commit-order.ts';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { EndpointEvent, type FeedEvent } from '../../../../shared/schema/event/event.ts';
import { endpointEvents } from '../../../../shared/schema/vocabulary.ts';
import { ana, openTestAlert } from '../../../support/records/alerts.ts';
import { endpoint, failure, sentDeliveries, storeDelivery } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { frames } from '../../../support/world/frames.ts';
import { startOfTests } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

async function read(query = '', token?: string): Promise<{ events: FeedEvent[]; cursor: string }> {
  const { status, body } = await api.call('GET', `/v1/events${query}`, token ? { token } : {});
  expect([query, status]).toEqual([query, 200]);
  return body;
}
const send = (kind: string, body: object, deviceId = 'cam-1') =>
  takeMessage(api.world, message(kind, body, { deviceId }), intake);
const cursorOf = (position: string) => Buffer.from(position).toString('base64url');

test('the feed has each event that an endpoint is sent, with the same id of the event and the same bytes, and whether or not one wants it', async () => {
  const events = ['detection', 'alert', 'guardian', 'incident'];
  await api.call('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/', events } });
  await send('status', { groupId: 'north', memory: { usedPercent: 95 } });
  await send('detection', detection('s-1'));
  await send('guardian', guardianAlert('drift', ['qos'], startOfTests));
  const alertId = await openTestAlert(api.world);
  await actOnAlert(api.world, ana, alertId, { kind: 'acknowledge' }, null);
  const sent = (await sentDeliveries(api.world.store)).filter(({ channel }) => channel === 'webhook');
  const notified = (await read()).events.map(({ type, eventId, body }) => [type, eventId, body]);
  expect(notified.toSorted()).toEqual(
    sent.map(({ eventType, eventId, body }) => [eventType, eventId, body]).toSorted(),
  );
  expect(new Set(notified.map(([type]) => type))).toEqual(new Set(['alert', 'detection', 'guardian']));
  // The feed contains events also if no endpoint exists.
  const [{ webhookId }] = (await api.call('GET', '/v1/webhooks')).body.webhooks;
  await api.call('DELETE', `/v1/webhooks/${webhookId}`);
  await send('detection', detection('s-2'), 'cam-2');
  expect((await read()).events.map(({ eventId }) => eventId)).toContain('s-2');
});

test('a quiet report is no event', async () => {
  await send('status', { memory: { usedPercent: 50 } });
  api.world.pass(60);
  const { cursor } = await read('?after=now');
  await send('status', { memory: { usedPercent: 50 } });
  expect(await api.world.store.count({ in: 'events' })).toBe(0);
  expect((await read(`?after=${cursor}`)).events).toEqual([]);
});

test('a body is stored once: its event has it, and deliveries refer to it for as long as they are kept', async () => {
  for (const n of [1, 2]) {
    const url = `https://hooks.example.com/${n}`;
    await api.call('POST', '/v1/webhooks', { body: { url, events: ['detection'] } });
  }
  await send('detection', detection('s-1'));
  const found = await api.world.store.find({ in: 'deliveries', limit: 9 });
  const where = [{ field: 'type', is: '==', value: 'detection' } as const];
  const [event] = await api.world.store.find({ in: 'events', where, limit: 9 });
  expect(found.map(({ data }) => [data.body, data.recordId])).toEqual([
    ['', event?.id],
    ['', event?.id],
  ]);
  expect(event?.data.expireAt).toBe(found[0]?.data.expireAt);
  const { body } = await api.call('GET', `/v1/deliveries/${found[0]?.id}`);
  expect(JSON.parse(body.payload).session.id).toBe('s-1');
});

test('pages follow each other by cursor, which moves on where nothing came, and whoever waits is answered with the first event', async () => {
  const start = await read('?after=now');
  expect(start.events).toEqual([]);
  const ids: string[] = [];
  for (let n = 0; n < 450; n += 1) {
    ids.push(`s-${n}`);
    await send('detection', detection(`s-${n}`));
  }
  const pages: FeedEvent[][] = [];
  for (let { cursor } = start; pages.flat().length < 450; ) {
    const page = await read(`?after=${cursor}&types=detection`);
    expect(await read(`?after=${cursor}&types=detection`)).toMatchObject({ events: page.events });
    pages.push(page.events);
    ({ cursor } = page);
  }
  expect(pages.map(({ length }) => length)).toEqual([200, 200, 50]);
  expect(pages.flat().map(({ eventId }) => eventId)).toEqual(ids);
  const { cursor } = await read('?after=now');
  const waiting = read(`?after=${cursor}&wait=25`);
  await send('detection', detection('late'));
  expect((await waiting).events.map(({ eventId }) => eventId)).toEqual(['late']);
  expect(await read(`?after=${cursor}&types=alert&wait=1`)).toMatchObject({ events: [] });
});

test('a page holds so many bytes, and one event at least', async () => {
  const { cursor } = await read('?after=now');
  for (let n = 0; n < 60; n += 1) {
    const analysis = { objects: [], questions: [], summary: 'x'.repeat(50_000) };
    await send('detection', { ...detection(`s-${n}`), analysis });
  }
  const page = await read(`?after=${cursor}`);
  expect(page.events.length).toBeGreaterThan(30);
  expect(page.events.length).toBeLessThan(45);
  const rest = await read(`?after=${page.cursor}`);
  expect(page.events.length + rest.events.length).toBe(60);
});

test('whoever is limited to groups sees events of these, and nobody the audit stream without its scope', async () => {
  await send('status', { groupId: 'north' }, 'cam-n');
  await send('status', { groupId: 'south' }, 'cam-s');
  await send('detection', detection('of-north'), 'cam-n');
  await send('detection', detection('of-south'), 'cam-s');
  await api.call('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/' } });
  const seen = async (given: { groups?: string[] }, query = '') =>
    (await read(query, await api.issuer.token(given))).events.map(({ eventId, type }) =>
      type === 'audit' ? type : eventId,
    );
  expect(await seen({ groups: ['north'] })).toEqual(['of-north']);
  expect(await seen({ groups: ['north', 'south'] })).toEqual(['of-north', 'of-south']);
  expect(await seen({ groups: ['east'] })).toEqual([]);
  expect(await seen({})).toEqual(['of-north', 'of-south']);
  expect(await seen({}, '?types=audit&types=detection')).toEqual(['of-north', 'of-south', 'audit']);
  for (const token of [
    await api.issuer.token({ scope: 'events:read' }),
    await api.issuer.token({ groups: ['north'] }),
  ]) {
    const { status, body } = await api.call('GET', '/v1/events?types=audit', { token });
    expect([status, body.code]).toEqual([403, 'forbidden']);
  }
});

test('an erased device leaves no event, not even one of the audit stream that says what it was called', async () => {
  for (const deviceId of ['cam-1', 'cam-2']) {
    await send('status', { groupId: 'north' }, deviceId);
    await send('detection', detection('s-1'), deviceId);
    await api.call('PATCH', `/v1/devices/${deviceId}`, { body: { name: `Kitchen of ${deviceId}` } });
  }
  const kept = async (text: string) => JSON.stringify(await read('?types=audit&types=detection')).includes(text);
  expect([await kept('Kitchen of cam-1'), await kept('"cam-1"')]).toEqual([true, true]);
  expect((await api.call('DELETE', '/v1/devices/cam-1?erase=true')).status).toBe(204);
  for (let look = 0; look < 20; look += 1) {
    api.world.pass(120);
    for (const { id } of await api.world.store.find({ in: 'jobs', limit: 9 }))
      await handleDue({ ...api.world, frames }, 'jobs', id);
  }
  expect([await kept('Kitchen of cam-1'), await kept('"cam-1"')]).toEqual([false, false]);
  expect([await kept('Kitchen of cam-2'), await kept('"cam-2"')]).toEqual([true, true]);
});

test.each([
  'x',
  'latest',
  cursorOf('2026-11-20~'),
  `${cursorOf(positionAt(startOfTests))}=`,
  cursorOf(positionAt('2027-01-01T00:00:00.000Z')),
])('what is no cursor is refused by name: %s', async (after) => {
  const { status, body } = await api.call('GET', `/v1/events?after=${encodeURIComponent(after)}`);
  expect([status, body.code, body.errors?.[0].pointer]).toEqual([400, 'invalid-request', '?after']);
});

test('a cursor that is older than what is kept says so, and where to go on', async () => {
  const { cursor } = await read('?after=now');
  await send('detection', detection('s-1'));
  api.world.pass(29 * 24 * 3600);
  expect((await read(`?after=${cursor}`)).events).toHaveLength(1);
  api.world.pass(2 * 24 * 3600);
  const { status, body } = await api.call('GET', `/v1/events?after=${cursor}`);
  expect([status, body.code]).toEqual([410, 'cursor-expired']);
  expect((await read(`?after=${body.oldest}`)).events).toEqual([]);
});

test('what becomes of an endpoint is in the feed for those who may see the endpoint and name such events, and for nobody else', async () => {
  const { world } = api;
  const gone = { ...failure, statusCode: 410, isGone: true, isRetryable: false };
  const ofGroups = { both: ['south', 'north'], north: ['north'], all: undefined };
  const ids: Record<string, string> = {};
  for (const [name, groups] of Object.entries(ofGroups)) {
    const webhookId = `${Object.keys(ids).length}1111111-1111-4111-8111-111111111111`;
    const webhook = endpoint({ webhookId, ...(groups ? { filter: { groups } } : {}) });
    const { deliveryId } = await storeDelivery(world.store, `s-${name}`, webhook);
    await createDispatcher(world, { webhook: { send: async () => gone } }, () => 0).attempt(deliveryId, webhookId);
    ids[webhookId] = name;
  }
  world.pass(60);
  const types = `?${endpointEvents.map((type) => `types=${type}`).join('&')}`;
  const seenBy = async (...groups: string[]) => {
    const token = await api.issuer.token(groups.length > 0 ? { groups } : {});
    const { events } = await read(types, token);
    const bodies = events.map(({ body }) => JSON.parse(body));
    for (const body of bodies) expect(Value.Check(EndpointEvent, body)).toBe(true);
    return bodies.map(({ eventType, webhookId }) => `${eventType} ${ids[webhookId]}`).toSorted();
  };
  const disabled = (...names: string[]) => names.map((name) => `endpoint.disabled ${name}`);
  expect(await seenBy()).toEqual(disabled('all', 'both', 'north'));
  expect(await seenBy('north', 'south', 'west')).toEqual(disabled('both', 'north'));
  expect(await seenBy('north')).toEqual(disabled('north'));
  expect([await seenBy('south'), await seenBy('west')]).toEqual([[], []]);
  expect((await read()).events).toEqual([]);
  const token = await api.issuer.token({ scope: 'events:read alerts:read' });
  expect((await api.call('GET', `/v1/events${types}`, { token })).status).toBe(403);
});
