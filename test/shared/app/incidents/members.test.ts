import { afterEach, beforeEach, expect, test } from 'vitest';
import { sentDeliveries } from '../../../support/records/deliveries.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { answerWakes, behind, livingFleet, openingsOf } from '../../../support/world/living-fleet.ts';
import { incidentsOf } from '../../../support/world/places.ts';
import { openAlerts } from '../../../support/world/ways.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const [a1, a2, b1] = [behind('a', '1', 4), behind('a', '2', 4), behind('b', '1', 8)];
const all = [...a1, ...a2, ...b1];
const url = 'https://hooks.example.com/';
const make = async (more: object) =>
  (await api.call('POST', '/v1/webhooks', { body: { url, ...more } })).body.webhookId;
/** What was sent to an endpoint, oldest first. */
async function sentTo(endpoint: string) {
  const found = await sentDeliveries(api.world.store);
  return found
    .filter(({ webhookId }) => webhookId === endpoint)
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map(({ body }) => JSON.parse(body));
}

/** Site `a` goes dark; its outage is found and announced. */
async function darkSite() {
  const fleet = await livingFleet(all, undefined, api.world);
  api.world.pass(1);
  await fleet.lose([...a1, ...a2]);
  await fleet.live(9, b1);
  const [incident] = (await api.call('GET', '/v1/incidents')).body.incidents;
  return { ...fleet, incident, path: `/v1/incidents/${incident.incidentId}` };
}

test('its alerts are listed by pages, carry its id, and are found by it', async () => {
  const { path, incident } = await darkSite();
  const first = (await api.call('GET', `${path}/alerts?pageSize=5`)).body;
  expect(first.alerts).toHaveLength(5);
  const rest = (await api.call('GET', `${path}/alerts?pageSize=5&pageToken=${first.nextPageToken}`)).body;
  expect(rest.alerts).toHaveLength(3);
  const { incidentId } = incident;
  const seen = [...first.alerts, ...rest.alerts];
  expect(seen.every((alert) => alert.incidentId === incidentId && alert.code === 'CONN_001')).toBe(true);
  expect((await api.call('GET', `/v1/alerts?incidentId=${incidentId}`)).body.counts.active).toBe(8);
  expect(incident.members).toEqual({ now: 8, peak: 8, back: 0 });
});

test('a member says why it notified nobody, the incident whom it notified', async () => {
  const { path } = await darkSite();
  const [alert] = (await api.call('GET', `${path}/alerts`)).body.alerts;
  const ofAlert = (await api.call('GET', `/v1/alerts/${alert.alertId}/explain`)).body;
  expect(ofAlert).toMatchObject({
    notified: [],
    notNotified: [
      { because: 'open', reason: 'held' },
      { because: 'join', reason: 'incident' },
    ],
    next: [],
  });
  const { body } = await api.call('GET', `${path}/explain`);
  expect(body.notified).toMatchObject([
    { because: 'announce', channel: 'email', how: 'sent', deliveryStatus: 'delivered' },
  ]);
  expect(body.next.map(({ what }: { what: string }) => what)).toEqual([
    expect.stringContaining('escalated'),
    expect.stringContaining('reminder'),
  ]);
});

test('endpoints are sent members as ever, unless they want none; those get what is left alone', async () => {
  const usual = await make({ events: ['alert', 'incident'] });
  const spared = await make({ events: ['alert'], membersOfIncidents: false });
  const { live } = await darkSite();
  const count = (bodies: { change: string }[], change: string) =>
    bodies.filter((body) => body.change === change).length;
  const [toUsual, toSpared] = [await sentTo(usual), await sentTo(spared)];
  expect(
    count(
      toUsual.filter(({ eventType }) => eventType === 'alert'),
      'opened',
    ),
  ).toBe(8);
  expect(toSpared).toEqual([]);
  const incidents = toUsual.filter(({ eventType }) => eventType === 'incident');
  expect(incidents.map(({ change }) => change)).toEqual(['opened']);
  await live(2, [...all.slice(0, 3), ...b1]);
  const updated = (await sentTo(usual)).filter(({ change }) => change === 'updated').at(-1);
  expect(updated).toMatchObject({ eventType: 'incident', incident: { members: { now: 5, peak: 8, back: 3 } } });
  expect(updated.members).toHaveLength(5);
  await live(18, [...all.slice(0, 7), ...b1]);
  const left = (await sentTo(spared)).filter(({ alert }) => alert.code === 'CONN_001');
  expect(left.map(({ change, alert }) => `${alert.deviceId} ${change}`)).toEqual([
    'a.2.cam-3 opened',
    'a.2.cam-3 escalated',
  ]);
});

test('a loss that is declared while nothing can be seen belongs to the blindness, and is looked at by itself afterwards', async () => {
  const { world, ways, live, lose } = await livingFleet(all, undefined, api.world);
  world.pass(1);
  await lose(a1.slice(0, 1));
  ways.state.broker = false;
  await live(17, all);
  const [blind] = await incidentsOf(world);
  expect(blind).toMatchObject({ kind: 'blind', endedAt: null });
  expect(await openAlerts(world)).toMatchObject([
    { deviceId: 'a.1.cam-0', isMember: true, incidentId: blind?.incidentId },
  ]);
  expect(openingsOf(world)).toEqual(['[CRITICAL] Watchpost is blind']);
  ways.state.broker = true;
  await live(8, all.slice(1));
  expect(await openAlerts(world)).toMatchObject([{ deviceId: 'a.1.cam-0', isMember: false }]);
  expect(openingsOf(world).toSorted()).toEqual([
    '[CRITICAL] Watchpost is blind',
    '[CRITICAL] Watchpost was blind: over',
    '[CRITICAL] a / a.1[.]cam-0 offline',
  ]);
});

test('a listener of the stream hears of it', async () => {
  const token = await api.issuer.token();
  const response = await api.fetch(
    new Request('http://watchpost.test/v1/stream', { headers: { Authorization: `Bearer ${token}` } }),
  );
  const reader = response.body?.getReader();
  await darkSite();
  let text = '';
  while (!text.includes('event: incident')) {
    const read = await reader?.read();
    if (!read || read.done) break;
    text += new TextDecoder().decode(read.value);
  }
  await reader?.cancel();
  const line = text.slice(text.indexOf('event: incident')).split('\n')[1] ?? '';
  expect(JSON.parse(line.slice('data: '.length))).toMatchObject({ change: 'open', incident: { kind: 'outage' } });
});

const total = unlessQuick(1000, 5000);
test(`${total} members are acknowledged within a minute, step by step`, async () => {
  const { path, incident, world } = await darkSite();
  const [template] = await openAlerts(world);
  if (!template) throw new Error('nobody is lost');
  for (let from = 0; from < total; from += 400) {
    await world.store.commit(
      Array.from({ length: Math.min(400, total - from) }, (_, index) => {
        const alertId = `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`;
        return { kind: 'create', in: 'alerts', id: alertId, data: { ...template, alertId } } as const;
      }),
    );
  }
  await api.call('POST', `${path}/acknowledge`, { body: {} });
  const before = performance.now();
  await answerWakes(world);
  expect(performance.now() - before).toBeLessThan(60_000);
  const where = [{ field: 'incidentId', is: '==', value: incident.incidentId } as const];
  expect(
    await world.store.count({ in: 'alerts', where: [...where, { field: 'status', is: '==', value: 'acknowledged' }] }),
  ).toBe(total + 8);
  await answerWakes(world);
  const trail = await world.store.count({ in: 'audit', where: [{ field: 'action', is: '==', value: 'acknowledge' }] });
  expect(trail).toBe(total + 8);
}, 90_000);
