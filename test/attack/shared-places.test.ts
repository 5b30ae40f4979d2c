import { afterAll, beforeAll, expect, test } from 'vitest';
import { plus } from '../../shared/domain/time.ts';
import { routes } from '../../shared/schema/routes.ts';
import { createTestObjects, origin, testKey } from '../support/ledger/objects.ts';
import { sentDeliveries } from '../support/records/deliveries.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { livingFleet } from '../support/world/living-fleet.ts';
import { pdfText } from '../support/world/pdf-text.ts';
import { names } from '../support/world/ways.ts';
import { createTestWorld } from '../support/world/world.ts';

const [ours, theirs] = [names(4, 'ours'), names(7, 'secretcam')];
const span = 'from=2026-11-20T10:00:00Z&to=2026-11-20T10:18:00Z';
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
  const world = createTestWorld();
  world.ledger = { objects: createTestObjects(), origin, keys: [testKey] };
  api = await startTestApi(world);
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
  // A request for a proof makes the next sweep record the camera in the ledger.
  for (const deviceId of [...ours, ...theirs]) await api.call('GET', `/v1/ledger/proof?deviceId=${deviceId}&${span}`);
  await fleet.live(2, [...ours, ...theirs]);
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

/** Text that reveals the other customer: names, words, and counts that include its cameras. */
const revealing = /secret(?:cam|group|site|boss|words|note)|"(?:now|peak|back)":(?:11|7|5|6)\b|\b(?:11|7) of \b/;

test('the outage of a shared uplink is one incident, and an unlimited bearer sees all of it', async () => {
  const { body } = await api.call('GET', `/v1/incidents/${incidentId}`);
  expect(JSON.stringify(body)).toMatch(revealing);
  expect(body).toMatchObject({
    scope: { kind: 'uplink', name: 'Fibre in the street' },
    groups: ['mine', 'secretgroup'],
    members: { peak: 11 },
    status: 'resolved',
  });
});

const formats = ['json', 'csv', 'pdf'];
const reports = ['device', 'site', 'group'].flatMap((by) =>
  formats.map((format) => `?${span}&by=${by}&format=${format}`),
);

/** An answer as text. Of a PDF, the text that a reader sees. */
async function readAs(token: string, address: string): Promise<{ status: number; text: string }> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await api.fetch(new Request(`http://watchpost.test${address}`, { headers }));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isPdf = response.headers.get('Content-Type') === 'application/pdf';
  return { status: response.status, text: isPdf ? pdfText(bytes) : Buffer.from(bytes).toString() };
}

test('in every format, a report names all customers to an unlimited bearer, and to a limited bearer only its own cameras', async () => {
  const boss = await api.issuer.token();
  for (const query of reports) {
    const address = `/v1/reports/availability${query}`;
    const whole = await readAs(boss, address);
    expect([query, whole.status, revealing.test(whole.text)]).toEqual([query, 200, true]);
    const { status, text } = await readAs(token, address);
    expect([query, status, revealing.test(text), /ours-0|my-site|mine/.test(text)]).toEqual([query, 200, false, true]);
    if (query.includes('format=pdf')) expect(text).toMatch(/to \S+ UTC, 4 cameras[\s\S]*Outages: the longest of 4\n/);
  }
});

type Operation = keyof typeof routes;
const nobodys = '99999999-9999-4999-8999-999999999999';

/** Every URL that the limited bearer may read, with ids that it can find. Where there is no record, an unknown id. */
async function everyAddress(): Promise<string[]> {
  const { alerts } = (await api.call('GET', '/v1/alerts?status=all', { token })).body;
  const { deliveries } = (await api.call('GET', '/v1/deliveries', { token })).body;
  const ids: Record<string, string[]> = {
    deviceId: ours,
    alertId: alerts.map(({ alertId }: { alertId: string }) => alertId),
    deliveryId: deliveries.map(({ deliveryId }: { deliveryId: string }) => deliveryId),
    incidentId: [incidentId],
    webhookId: [webhookId],
    name: ['operations'],
    kind: ['uplink'],
    id: ['shared-uplink'],
    tile: ['0/000'],
  };
  const queries: Partial<Record<Operation, string[]>> = {
    listIncidents: ['?status=all'],
    listAlerts: ['?status=all', `?status=all&incidentId=${incidentId}`],
    listDevices: ['', '?parent=uplink:shared-uplink'],
    listDeviceAlerts: ['?status=all'],
    getTrends: ['?days=1'],
    getAvailability: reports,
    getProof: [`?deviceId=ours-0&${span}`],
  };
  // The stream is read in `beforeAll`.
  const readable = (Object.keys(routes) as Operation[]).filter(
    (each) => routes[each].method === 'get' && each !== 'streamChanges' && each !== 'getOpenApi',
  );
  return readable.flatMap((operation) => {
    const names = [...routes[operation].path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const paths = names.reduce(
      (given, name) => given.flatMap((path) => (ids[name] ?? [nobodys]).map((id) => path.replace(`{${name}}`, id))),
      [routes[operation].path as string],
    );
    return paths.flatMap((path) => (queries[operation] ?? ['']).map((query) => path + query));
  });
}

test('previews of a limited bearer, of maintenance windows and rules, count only its own cameras', async () => {
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

test('only the team `operations` is notified of an outage at a shared place', async () => {
  const found = await api.world.store.find({ in: 'deliveries', limit: 1000 });
  const mails = found.flatMap(({ data }) => ('team' in data.target ? [data.target.team] : []));
  expect(mails.length).toBeGreaterThan(0);
  expect([...new Set(mails)]).toEqual(['operations']);
});

test('every route shows a limited bearer the members and counts of its own group only', async () => {
  const path = `/v1/incidents/${incidentId}`;
  const through: string[] = [];
  const answered: number[] = [];
  const addresses = await everyAddress();
  for (const address of addresses) {
    const { status, text } = await readAs(token, address);
    answered.push(status);
    if (status === 400 || revealing.test(text)) through.push(`${address}: ${status} ${text}`);
  }
  expect(answered.filter((status) => status === 200).length).toBeGreaterThan(50);
  score('A-shared', 'addresses tell one customer of another at a shared place', addresses.length, through.length);
  expect(through).toEqual([]);
  const { body } = await api.call('GET', path, { token });
  expect(body).toMatchObject({ groups: ['mine'], members: { peak: 4, back: 4 }, evidence: [], acknowledgedBy: null });
  expect((await api.call('GET', `${path}/alerts`, { token })).body.alerts).toHaveLength(4);
  expect((await api.call('GET', `${path}/explain`, { token })).body).toMatchObject({ notified: [], notNotified: [] });
});

test('a limited bearer may not act on an incident of several groups', async () => {
  for (const action of ['acknowledge', 'resolve', 'reopen', 'unacknowledge']) {
    const { status, body } = await api.call('POST', `/v1/incidents/${incidentId}/${action}`, { token, body: {} });
    expect([action, status, body.code]).toEqual([action, 403, 'limited-to-groups']);
  }
});

test('the stream and the endpoint of a limited bearer show its own group only', async () => {
  expect(streamed).toContain('event: incident');
  expect(streamed).not.toMatch(revealing);
  const found = await sentDeliveries(api.world.store);
  const bodies = found.flatMap((each) => (each.webhookId === webhookId ? [each.body] : []));
  const events = bodies.filter((body) => body.includes('"eventType":"incident"'));
  expect(events.length).toBeGreaterThanOrEqual(2);
  expect(bodies.filter((body) => revealing.test(body))).toEqual([]);
  expect(
    events.flatMap((body) => JSON.parse(body).members.map(({ deviceId }: { deviceId: string }) => deviceId)),
  ).not.toContain('secretcam-0');
});

test('the event feed shows a limited bearer events of its own group only', async () => {
  let seen = '';
  for (let cursor = '', last = null as string | null; cursor !== last; ) {
    last = cursor;
    const { status, body } = await api.call('GET', `/v1/events${cursor && `?after=${encodeURIComponent(cursor)}`}`, {
      token,
    });
    expect(status).toBe(200);
    seen += JSON.stringify(body.events);
    if (body.events.length > 0) cursor = body.cursor;
  }
  expect(seen).toContain('ours-0');
  expect(seen).not.toMatch(revealing);
});

test('no MCP tool shows a limited bearer more than the route that it calls', async () => {
  const use = async (method: string, params: object) =>
    (await api.call('POST', '/mcp', { token, body: { jsonrpc: '2.0', id: 1, method, params } })).body.result;
  const { tools } = await use('tools/list', {});
  const ids = { deviceId: 'ours-0', incidentId, webhookId, kind: 'uplink', id: 'shared-uplink', name: 'operations' };
  const [from, to] = span.split('&').map((part) => part.split('=')[1]);
  const given: Record<string, object> = {
    getAvailability: { from, to, by: 'site' },
    getProof: { from, to },
    listIncidents: { status: ['all'] },
  };
  const answers: string[] = [];
  for (const { name, inputSchema } of tools) {
    if (name.startsWith('acknowledge')) continue;
    const known = Object.entries(ids).filter(([id]) => inputSchema.required.includes(id));
    const { content } = await use('tools/call', { name, arguments: { ...Object.fromEntries(known), ...given[name] } });
    answers.push(`${name}: ${content[0].text}`);
  }
  expect(answers.filter((text) => revealing.test(text))).toEqual([]);
  expect(answers.filter((text) => text.includes('ours-0')).length).toBeGreaterThan(5);
});
