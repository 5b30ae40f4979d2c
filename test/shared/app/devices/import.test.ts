import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import type { ImportResult } from '../../../../shared/schema/device/import.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { createTimeline } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const { store, spent, reset } = countingStore(createMemoryStore());
const world = createTestWorld(store);
const line = createTimeline(world);
let api: Awaited<ReturnType<typeof startTestApi>>;
let limited: string;
let count = 0;
/** Ids that are unique to the current test. */
let id: (name: string) => string;
beforeAll(async () => {
  api = await startTestApi(world);
  limited = await api.issuer.token({ groups: ['north'], sub: 'eve' });
});
afterAll(() => api.stop());
beforeEach(() => {
  count += 1;
  id = (name) => `${name}-${count}`;
});

type Given = { token?: string; query?: string };
async function put(devices: unknown[], { token, query = '' }: Given = {}) {
  return api.call('PUT', `/v1/devices${query}`, { body: { devices }, ...(token ? { token } : {}) });
}
async function putTable(table: string, { token, query = '' }: Given = {}) {
  return api.call('PUT', `/v1/devices${query}`, {
    rawBody: table,
    headers: { 'Content-Type': 'text/csv; charset=utf-8' },
    ...(token ? { token } : {}),
  });
}
const inShort = (body: { results: ImportResult[] }) =>
  body.results.map(({ line: at, outcome, errors = [] }) =>
    [at, outcome, ...errors.map(({ pointer, detail }) => `${pointer} ${detail}`)].join(' '),
  );
const device = async (deviceId: string) => (await api.call('GET', `/v1/devices/${deviceId}`)).body;

test('devices are registered and changed, each with what changed; the same once more changes and writes nothing', async () => {
  await line.says(0, 'status', {}, { deviceId: id('known') });
  const devices = [
    { deviceId: id('new'), groupId: 'north', name: 'Gate', site: 'gbg', parents: [{ kind: 'switch', id: 'sw-1' }] },
    { deviceId: id('known'), groupId: 'north', tags: { floor: '2' }, reporting: { periodSeconds: 0 } },
  ];
  const dry = await put(devices, { query: '?dryRun=true' });
  expect((await api.call('GET', `/v1/devices/${id('new')}`)).status).toBe(404);
  const { status, body } = await put(devices);
  expect(status).toBe(200);
  expect(dry.body).toEqual(body);
  expect(body.counts).toEqual({ created: 1, changed: 1, unchanged: 0, refused: 0 });
  expect(body.results[1]).toEqual({
    line: 2,
    deviceId: id('known'),
    outcome: 'changed',
    changes: [
      { member: 'groupId', from: 'unassigned', to: 'north' },
      { member: 'tags', from: {}, to: { floor: '2' } },
      { member: 'reporting', from: null, to: { periodSeconds: 0 } },
    ],
  });
  expect(await device(id('new'))).toMatchObject({ ...devices[0], state: 'never-seen', openAlerts: [] });
  reset();
  expect((await put(devices)).body.counts).toMatchObject({ unchanged: 2 });
  expect(spent.writes).toBe(0);
});

test('what an import registers takes the reports of its camera, which change nothing of what people said', async () => {
  await put([{ deviceId: id('cam'), groupId: 'north', name: 'Gate', site: 'gbg' }]);
  await line.says(
    0,
    'status',
    { groupId: 'south', name: 'AXIS', model: 'P3245', memory: { usedPercent: 95 } },
    { deviceId: id('cam') },
  );
  expect(await device(id('cam'))).toMatchObject({
    ...{ groupId: 'north', name: 'Gate', site: 'gbg', model: 'P3245', state: 'online' },
    openAlerts: [{ code: 'RES_001' }],
  });
  await put([{ deviceId: id('cam'), groupId: 'south', site: 'malmo' }]);
  const alerts = (await line.alerts(id('cam'))).map(({ groupId, isOpen, site }) => [groupId, isOpen, site]);
  expect(alerts.toSorted()).toEqual([
    ['north', false, 'gbg'],
    ['south', true, 'malmo'],
  ]);
});

test('each line that does not fit is refused by itself, with its members', async () => {
  const { status, body } = await put([
    { deviceId: id('good') },
    { deviceId: 'a b', colour: 'red' },
    { deviceId: id('good'), name: 'again' },
    { name: 'nobody' },
    'text',
    { deviceId: id('other'), parents: [{ kind: 'Switch', id: 'x' }], coverage: ['a', 'a'], groupId: null },
    { deviceId: id('tags'), tags: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`t${index}`, 'x'])) },
    {
      deviceId: id('place'),
      parents: [
        { kind: 'switch', id: 'x' },
        { kind: 'site', id: 'x' },
      ],
    },
  ]);
  expect(status).toBe(200);
  expect(inShort(body)).toEqual([
    '1 created',
    expect.stringMatching(/^2 refused (?=.*\/deviceId must begin with a letter)(?=.*\/colour is not known here)/),
    '3 refused /deviceId is on line 1 already',
    '4 refused /deviceId is required',
    '5 refused  must be object',
    expect.stringMatching(/^6 refused (?=.*\/parents\/0\/kind)(?=.*\/coverage)(?=.*\/groupId must be string)/),
    '7 refused /tags would be 21; a device has at most 20',
    '8 refused /parents/1/kind has its own member: site',
  ]);
});

test('who is limited to groups changes what is theirs only; every other id gets one and the same answer', async () => {
  await put([
    { deviceId: id('mine'), groupId: 'north' },
    { deviceId: id('theirs'), groupId: 'south' },
    { deviceId: id('nobodys') },
  ]);
  const before = await Promise.all(['theirs', 'nobodys'].map((name) => device(id(name))));
  const ask = { token: limited };
  const { body } = await put(
    ['mine', 'theirs', 'nobodys', 'unknown'].map((name) => ({ deviceId: id(name), groupId: 'north', name: 'x' })),
    ask,
  );
  expect(inShort(body)).toEqual([
    '1 changed',
    ...[2, 3, 4].map((at) => `${at} refused /deviceId does not exist in your groups`),
  ]);
  expect(inShort((await put([{ deviceId: id('mine'), groupId: 'south' }], ask)).body)).toEqual([
    '1 refused /groupId may name only groups of the token',
  ]);
  expect(await Promise.all(['theirs', 'nobodys'].map((name) => device(id(name))))).toEqual(before);
  expect((await api.call('GET', `/v1/devices/${id('unknown')}`)).status).toBe(404);
  const { body: audit } = await api.call('GET', '/v1/audit?pageSize=50');
  expect(audit.entries).toContainEqual(
    expect.objectContaining({ action: 'importDevices', outcome: 'refused', reason: 'not-found', count: 3 }),
  );
});

test('an import leaves one entry of the audit stream that names its devices, a dry run none', async () => {
  const sent = await put([{ deviceId: id('a') }, { deviceId: id('b') }, { deviceId: 'not an id' }]);
  await put([{ deviceId: id('c') }], { query: '?dryRun=true' });
  const { body } = await api.call('GET', '/v1/audit?pageSize=200');
  const mine = body.entries.filter(({ after }: { after: unknown }) => JSON.stringify(after ?? '').includes(id('a')));
  expect(sent.body.counts).toMatchObject({ created: 2, refused: 1 });
  expect(mine).toMatchObject([{ action: 'importDevices', after: { deviceIds: [id('a'), id('b')] } }]);
  expect(JSON.stringify(body.entries)).not.toContain(`"${id('c')}"`);
});

test('a table says the same: columns in any order, empty cells change nothing, `null` clears, lines are those of the file', async () => {
  const table = [
    'site,deviceId,name,parents,tag.floor,tag.owner,coverage,reporting.periodSeconds,groupId',
    `gbg,${id('a')},"Gate, north",switch:sw-1;uplink:u-1,2,Anna,entrance;yard,600,north`,
    '',
    `,${id('b')},,,,,,,north`,
    `gbg,${id('c')},,switch,,,,soon,a b`,
  ].join('\r\n');
  const { body } = await putTable(table);
  expect(inShort(body)).toEqual([
    '2 created',
    '4 created',
    expect.stringMatching(/^5 refused (?=.*\/parents\/0\/id)(?=.*\/reporting\/periodSeconds)(?=.*\/groupId)/),
  ]);
  expect(await device(id('a'))).toMatchObject({
    ...{ name: 'Gate, north', site: 'gbg', groupId: 'north', coverage: ['entrance', 'yard'] },
    parents: [
      { kind: 'switch', id: 'sw-1' },
      { kind: 'uplink', id: 'u-1' },
    ],
    ...{ tags: { floor: '2', owner: 'Anna' }, reporting: { periodSeconds: 600 } },
  });
  const clearing = `deviceId;site;tag.owner;parents;reporting.periodSeconds;name\n${id('a')};null;null;null;null;`;
  expect(inShort((await putTable(clearing)).body)).toEqual(['2 changed']);
  expect(await device(id('a'))).toMatchObject({
    name: 'Gate, north',
    site: null,
    parents: [],
    tags: { floor: '2' },
    reporting: null,
  });
});

test.each([
  ['deviceId,colour\na,red', '/colour', 'is not known here'],
  ['deviceId,name,name\na,b,c', '/name', 'appears twice'],
  ['name\nGate', '/deviceId', 'is required as a column'],
  ['deviceId,name\na,b,c', '', /Invalid Record Length: .*line 2/],
  ['deviceId,name\na,"b', '', /Quote Not Closed/],
  ['', '', /must begin with a row/],
  ['deviceId', '/devices', /fewer than 1/],
  [`deviceId\n${Array.from({ length: 501 }, (_, index) => `x${index}`).join('\n')}`, '/devices', /more than 500/],
  ['deviceId,tag.__proto__\nproto,x', undefined, ''],
])('the table %j is not taken', async (table, pointer, detail) => {
  const { status, body } = await putTable(table);
  if (pointer === undefined) return expect(inShort(body)).toEqual([expect.stringContaining('refused /tags')]);
  expect([status, body.code]).toEqual([400, 'invalid-request']);
  expect(body.errors[0]).toEqual({
    pointer,
    detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
  });
});

test('bodies up to 1 MiB are taken and larger ones refused; what is no text, or of another type, is not', async () => {
  const padded = (bytes: number) => `{"devices":[{"deviceId":"${id('big')}"}]${' '.repeat(bytes - 43)}}`;
  const send = (rawBody: string, type: string) =>
    api.call('PUT', '/v1/devices', { rawBody, headers: { 'Content-Type': type } });
  expect((await send(padded(1024 * 1024), 'application/json')).status).toBe(200);
  expect((await send(padded(1024 * 1024 + 20), 'application/json')).status).toBe(413);
  expect((await send('deviceId\na', 'text/plain')).status).toBe(415);
  expect((await api.call('PUT', '/v1/teams/x', { rawBody: 'a', headers: { 'Content-Type': 'text/csv' } })).status).toBe(
    415,
  );
  const token = await api.issuer.token();
  const init = { method: 'PUT', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' } };
  const bytes = Buffer.concat([Buffer.from('deviceId,name\na,G'), Buffer.from([0xf6]), Buffer.from('teborg')]);
  const { status } = await api.fetch(new Request('http://watchpost.test/v1/devices', { ...init, body: bytes }));
  expect(status).toBe(400);
});
