import { afterEach, beforeEach, expect, test } from 'vitest';
import { handleDue } from '../../../shared/app/due/due.ts';
import { giveTeam } from '../../support/records/alerts.ts';
import { sentDeliveries } from '../../support/records/deliveries.ts';
import { startTestApi } from '../../support/world/api.ts';
import { createWays, names } from '../../support/world/ways.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let ways: ReturnType<typeof createWays>;
beforeEach(async () => {
  api = await startTestApi();
  ways = createWays(api.world);
  await giveTeam(api.world, 'operations', { emails: ['ops@example.com'], phones: ['+46700000001'] });
});
afterEach(() => api.stop());

const cameras = names(6);
const halves = (deviceId: string) => (Number(deviceId.split('-')[1]) % 2 === 0 ? 'north' : 'south');
const list = async (search = '', token?: string) =>
  (await api.call('GET', `/v1/incidents${search}`, token ? { token } : {})).body.incidents;
/** The deliveries as `channel eventType`, oldest first. */
async function notified() {
  const { deliveries } = (await api.call('GET', '/v1/deliveries?pageSize=200')).body;
  return deliveries.toReversed().map(({ channel, eventType }: Record<string, string>) => `${channel} ${eventType}`);
}

/** The broker fails; after `minutes` the sweep has found that. */
async function goBlind(minutes = 6) {
  await ways.live(4, cameras, halves);
  ways.state.broker = false;
  await ways.live(minutes, cameras);
  const [incident] = await list();
  return incident;
}

test('blindness is one CRITICAL incident, announced on all channels at once, and the fleet names it', async () => {
  const incident = await goBlind();
  expect(await list('?status=all')).toHaveLength(1);
  expect(incident).toMatchObject({
    kind: 'blind',
    severity: 'CRITICAL',
    status: 'active',
    groups: ['*'],
    title: 'Watchpost is blind',
    endedAt: null,
    availableActions: ['acknowledge', 'resolve', 'snooze', 'view-history'],
  });
  expect(incident.evidence.join()).toContain('everything came through up to');
  expect((await api.call('GET', '/v1/fleet')).body.platform).toMatchObject({
    state: 'blind',
    incidentId: incident.incidentId,
  });
  expect((await notified()).toSorted()).toEqual(['email notification', 'sms notification']);
});

test('without an acknowledgement an incident escalates after its response time, and then reminds', async () => {
  const { incidentId, startedAt } = await goBlind();
  await ways.live(7, []);
  const { body } = await api.call('GET', `/v1/incidents/${incidentId}`);
  expect(body).toMatchObject({ status: 'escalated', team: 'operations' });
  expect(Date.parse(body.escalatedAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(300_000);
  await ways.live(32, []);
  const { entries } = (await api.call('GET', `/v1/incidents/${incidentId}/history`)).body;
  expect(entries.map(({ action }: { action: string }) => action)).toEqual(['open', 'escalate', 'remind']);
  await handleDue(api.world, 'incidents', incidentId);
  expect((await api.call('GET', `/v1/incidents/${incidentId}/history`)).body.entries).toHaveLength(3);
});

test('an incident is acknowledged and noted with If-Match; of two simultaneous actions one fails', async () => {
  const { incidentId } = await goBlind();
  const path = `/v1/incidents/${incidentId}`;
  const { headers } = await api.call('GET', path);
  const stale = { headers: { 'If-Match': '"7"' }, body: {} };
  expect((await api.call('POST', `${path}/acknowledge`, stale)).status).toBe(412);
  const match = { headers: { 'If-Match': headers.get('ETag') ?? '' }, body: { comment: 'on it' } };
  const done = await api.call('POST', `${path}/acknowledge`, match);
  expect(done.body).toMatchObject({ status: 'acknowledged', acknowledgedBy: expect.any(String) });
  expect(done.headers.get('ETag')).not.toBe(headers.get('ETag'));
  expect((await api.call('POST', `${path}/notes`, { body: { text: 'broker is down' } })).status).toBe(201);
  expect((await api.call('GET', `${path}/notes`)).body.notes).toMatchObject([{ incidentId, text: 'broker is down' }]);
  const refused = await api.call('POST', `${path}/snooze`, { body: { minutes: 5 } });
  expect(refused).toMatchObject({ status: 409, body: { code: 'invalid-transition', alertStatus: 'acknowledged' } });
  await ways.live(20, []);
  expect((await api.call('GET', path)).body.status).toBe('acknowledged');
});

test('blindness ends by itself when the path works again, with its duration and the overdue cameras', async () => {
  const { incidentId } = await goBlind(14);
  ways.state.broker = true;
  await ways.live(7, cameras.slice(1));
  const { body } = await api.call('GET', `/v1/incidents/${incidentId}`);
  expect(body).toMatchObject({ status: 'resolved', title: 'Watchpost was blind', endedAt: expect.any(String) });
  expect(body.message).toMatch(/sees again after 1\d min\. 1 of 6 cameras/);
  expect((await notified()).filter((line: string) => line === 'sms notification').length).toBeGreaterThanOrEqual(2);
  expect(await list()).toEqual([]);
  expect((await api.call('GET', '/v1/fleet')).body.platform).toMatchObject({ state: 'sees', incidentId: null });
  const alerts = await api.call('GET', '/v1/alerts');
  expect(alerts.body.alerts).toMatchObject([{ deviceId: 'cam-0', code: 'CONN_001' }]);
});

test('an incident that was resolved by hand stays resolved, and its end is not announced', async () => {
  const { incidentId } = await goBlind();
  await api.call('POST', `/v1/incidents/${incidentId}/resolve`, { body: {} });
  const before = (await notified()).length;
  await ways.live(10, []);
  ways.state.broker = true;
  await ways.live(4, cameras);
  expect((await api.call('GET', `/v1/incidents/${incidentId}`)).body).toMatchObject({
    status: 'resolved',
    endedAt: expect.any(String),
  });
  expect((await notified()).length).toBe(before);
});

test('a bearer limited to groups sees title, times and status, and may not act', async () => {
  const { incidentId } = await goBlind();
  const token = await api.issuer.token({ groups: ['north'] });
  const [seen] = await list('', token);
  expect(seen).toMatchObject({ incidentId, title: 'Watchpost is blind', members: null, evidence: [] });
  expect(seen.message).toBe(seen.title);
  const path = `/v1/incidents/${incidentId}`;
  expect((await api.call('POST', `${path}/acknowledge`, { token, body: {} })).body.code).toBe('limited-to-groups');
  expect((await api.call('GET', `${path}/history`, { token })).body.entries).toMatchObject([{ action: 'open' }]);
  expect((await api.call('GET', `${path}/notes`, { token })).body.notes).toEqual([]);
});

test('an endpoint for incidents gets the beginning and the end of blindness; one limited to groups does not', async () => {
  const url = 'https://hooks.example.com/';
  const make = (more: object) => api.call('POST', '/v1/webhooks', { body: { url, events: ['incident'], ...more } });
  const { webhookId } = (await make({})).body;
  await make({ filter: { groups: ['north'] } });
  await goBlind();
  ways.state.broker = true;
  await ways.live(5, cameras);
  const events = (await sentDeliveries(api.world.store)).filter(({ channel }) => channel === 'webhook');
  expect(events.map(({ target }) => target)).toEqual(events.map(() => ({ kind: 'webhook', webhookId })));
  const bodies = events.map(({ body }) => JSON.parse(body)).toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  expect(bodies).toMatchObject([
    { eventType: 'incident', version: '1.0', change: 'opened', incident: { kind: 'blind' }, members: [] },
    { eventType: 'incident', change: 'resolved', incident: { status: 'resolved' } },
  ]);
});
