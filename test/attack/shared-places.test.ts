import { afterAll, beforeAll, expect, test } from 'vitest';
import { plus } from '../../shared/domain/time.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { livingFleet } from '../support/world/living-fleet.ts';
import { names } from '../support/world/ways.ts';

const [ours, theirs] = [names(4, 'ours'), names(7, 'secretcam')];
const uplink = [{ kind: 'uplink', id: 'shared-uplink' }];
const where = (deviceId: string) =>
  deviceId.startsWith('ours')
    ? { groupId: 'mine', site: 'my-site', parents: uplink }
    : { groupId: 'secretgroup', site: 'secretsite', parents: uplink };

let api: Awaited<ReturnType<typeof startTestApi>>;
let incidentId: string;
let token: string;
let streamed = '';
let webhookId: string;
beforeAll(async () => {
  api = await startTestApi();
  token = await api.issuer.token({ groups: ['mine'], sub: 'nosy' });
  await api.call('PUT', '/v1/places/uplink/shared-uplink', {
    body: { name: 'Fibre in the street', groups: ['mine', 'secretgroup'], shared: true },
  });
  const made = { url: 'https://hooks.example.com/', events: ['incident', 'alert'], filter: { groups: ['mine'] } };
  webhookId = (await api.call('POST', '/v1/webhooks', { token, body: made })).body.webhookId;
  const response = await api.fetch(
    new Request('http://watchpost.test/v1/stream', { headers: { Authorization: `Bearer ${token}` } }),
  );
  const reader = response.body?.getReader();
  const fleet = await livingFleet([...ours, ...theirs], where, api.world);
  api.world.pass(1);
  await fleet.lose([...ours, ...theirs]);
  await fleet.live(9, []);
  const [incident] = (await api.call('GET', '/v1/incidents')).body.incidents;
  incidentId = incident.incidentId;
  const boss = await api.issuer.token({ sub: 'secretboss' });
  await api.call('POST', `/v1/incidents/${incidentId}/acknowledge`, { token: boss, body: { comment: 'secretwords' } });
  await api.call('POST', `/v1/incidents/${incidentId}/notes`, { token: boss, body: { text: 'secretnote' } });
  await fleet.live(2, theirs.slice(0, 5));
  await fleet.live(3, [...ours, ...theirs]);
  for (let quiet = 0; quiet < 2; ) {
    const read = await Promise.race([
      reader?.read(),
      new Promise<null>((resolve) => setImmediate(() => setTimeout(resolve, 50, null))),
    ]);
    if (read && !read.done) streamed += new TextDecoder().decode(read.value);
    else quiet += 1;
  }
  await reader?.cancel();
});
afterAll(() => api.stop());

/** What tells of the others: their names, their words, and the numbers 11 and 7 that only all of them together make. */
const telling = /secret|"(?:now|peak|back)":(?:11|7|5|6)\b|\b(?:11|7) of \b/;

test('the outage of a shared uplink is one incident, of which an unlimited bearer sees everything', async () => {
  const { body } = await api.call('GET', `/v1/incidents/${incidentId}`);
  expect(JSON.stringify(body)).toMatch(telling);
  expect(body).toMatchObject({
    scope: { kind: 'uplink', name: 'Fibre in the street' },
    groups: ['mine', 'secretgroup'],
    members: { peak: 11 },
    status: 'resolved',
  });
});

/** What he may read by the ids that he has found: his alerts and what his endpoint was sent. */
async function ownIds(): Promise<string[]> {
  const { alerts } = (await api.call('GET', '/v1/alerts?status=all', { token })).body;
  const { deliveries } = (await api.call('GET', '/v1/deliveries', { token })).body;
  return [
    ...alerts.flatMap(({ alertId }: { alertId: string }) =>
      ['', '/explain', '/history', '/notes'].map((end) => `/v1/alerts/${alertId}${end}`),
    ),
    ...deliveries.map(({ deliveryId }: { deliveryId: string }) => `/v1/deliveries/${deliveryId}`),
  ];
}

test('what it would have kept quiet, and whom a rule would have told, is counted of his own alone', async () => {
  const window = { scope: { parents: [{ kind: 'uplink', id: 'shared-uplink' }] } };
  const rule = { condition: { code: 'CONN_001' }, action: { notify: ['email'] } };
  const times = { startsAt: api.world.now(), endsAt: plus(api.world.now(), 3_600_000) };
  for (const [path, body] of [
    ['/v1/maintenance-windows/preview', { window: { name: 'Works', ...window, ...times } }],
    ['/v1/rules/preview', { rule: { name: 'Mine', ...rule } }],
  ] as const) {
    const answer = await api.call('POST', path, { token, body });
    expect([path, answer.status]).toEqual([path, 200]);
    const text = JSON.stringify(answer.body);
    expect(text).not.toMatch(/secret|:(?:11|7)\b/);
  }
});

test('people who are told of it are of the team of the operator, whom no group limits', async () => {
  const found = await api.world.store.find({ in: 'deliveries', limit: 1000 });
  const mails = found.flatMap(({ data }) => ('team' in data.target ? [data.target.team] : []));
  expect(mails.length).toBeGreaterThan(0);
  expect([...new Set(mails)]).toEqual(['operations']);
});

test('on every route a bearer of one group sees his own members and counts, and nothing of the others', async () => {
  const path = `/v1/incidents/${incidentId}`;
  const routes = [
    '/v1/incidents?status=all',
    ...['', '/alerts', '/history', '/notes', '/explain'].map((end) => path + end),
    `/v1/alerts?status=all&incidentId=${incidentId}`,
    '/v1/fleet',
    '/v1/sites',
    '/v1/devices',
    '/v1/deliveries',
    '/v1/places/uplink/shared-uplink',
    '/v1/fleet/trends?days=1',
    '/v1/maintenance-windows',
    '/v1/audit',
    '/v1/guardian-alerts',
    '/v1/rules',
    '/v1/teams',
    ...['', '/alerts?status=all', '/activity'].map((end) => `/v1/devices/ours-0${end}`),
    ...(await ownIds()),
  ];
  const through: string[] = [];
  for (const route of routes) {
    const { body } = await api.call('GET', route, { token });
    if (telling.test(JSON.stringify(body))) through.push(`${route}: ${JSON.stringify(body)}`);
  }
  score('A-shared', 'routes tell one customer of another at a shared place', routes.length, through.length);
  expect(through).toEqual([]);
  const { body } = await api.call('GET', path, { token });
  expect(body).toMatchObject({ groups: ['mine'], members: { peak: 4, back: 4 }, evidence: [], acknowledgedBy: null });
  expect((await api.call('GET', `${path}/alerts`, { token })).body.alerts).toHaveLength(4);
  expect((await api.call('GET', `${path}/explain`, { token })).body).toMatchObject({ told: [], notTold: [] });
});

test('he may not act on it', async () => {
  for (const action of ['acknowledge', 'resolve', 'reopen', 'unacknowledge']) {
    const { status, body } = await api.call('POST', `/v1/incidents/${incidentId}/${action}`, { token, body: {} });
    expect([action, status, body.code]).toEqual([action, 403, 'limited-to-groups']);
  }
});

test('his stream and his endpoint are told his part', async () => {
  expect(streamed).toContain('event: incident');
  expect(streamed).not.toMatch(telling);
  const found = await api.world.store.find({ in: 'deliveries', limit: 1000 });
  const bodies = found.flatMap(({ data }) => (data.webhookId === webhookId ? [data.body] : []));
  const events = bodies.filter((body) => body.includes('"eventType":"incident"'));
  expect(events.length).toBeGreaterThanOrEqual(2);
  expect(bodies.filter((body) => telling.test(body))).toEqual([]);
  expect(
    events.flatMap((body) => JSON.parse(body).members.map(({ deviceId }: { deviceId: string }) => deviceId)),
  ).not.toContain('secretcam-0');
});
