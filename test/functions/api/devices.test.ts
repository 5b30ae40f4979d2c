import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { takeDeadLetter, takeMessage } from '../../../shared/app/intake/take-message.ts';
import { plus } from '../../../shared/domain/time.ts';
import { message } from '../../support/records/reports.ts';
import { guardianAlert } from '../../support/records/stories.ts';
import { startTestApi } from '../../support/world/api.ts';
import { frames } from '../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../support/world/world.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
const world: TestWorld = createTestWorld();
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
let deviceId = '';
let count = 0;

beforeAll(async () => {
  api = await startTestApi(world);
});
afterAll(() => api.stop());
// A camera of its own for each test.
beforeEach(() => {
  count += 1;
  deviceId = `cam-${count}`;
});

const say = (kind: string, body: unknown, seconds = 0) =>
  takeMessage(world, message(kind, body, { deviceId, publishTime: plus(startOfTests, seconds * 1000) }), intake);

async function openCodes(): Promise<string[]> {
  const { body } = await api.call('GET', `/v1/devices/${deviceId}/alerts`);
  return body.alerts.map(({ code }: { code: string }) => code);
}

test('a device is shown with the values of its reports, its clock difference and its open alerts', async () => {
  await say('status', {
    timestamp: plus(startOfTests, 3_600_000),
    name: 'Gate',
    groupId: 'north',
    memory: { usedPercent: 93 },
  });
  const { status, body } = await api.call('GET', `/v1/devices/${deviceId}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    deviceId,
    name: 'Gate',
    groupId: 'north',
    online: true,
    clockSkewSeconds: 3600,
    readings: { memoryUsedPercent: 93 },
    openAlerts: [{ code: 'RES_001' }],
  });
});

test('reports no longer change a value that a person has set, and the activity names the person', async () => {
  await say('status', { name: 'Gate', groupId: 'north' });
  const changed = await api.call('PATCH', `/v1/devices/${deviceId}`, { body: { name: 'Main gate', groupId: 'south' } });
  expect(changed.body).toMatchObject({ name: 'Main gate', groupId: 'south' });
  await say('status', { name: 'Gate', groupId: 'north' }, 300);
  expect((await api.call('GET', `/v1/devices/${deviceId}`)).body).toMatchObject({
    name: 'Main gate',
    groupId: 'south',
  });
  const { body } = await api.call('GET', `/v1/devices/${deviceId}/activity`);
  expect(body.entries[0]).toMatchObject({
    kind: 'device-changed',
    // The former and the new group read it, and neither learns of the other.
    summary: 'Moved to another group',
  });
  expect(body.entries[0].who).not.toBe('device');
});

test.each([
  ['an empty change', {}],
  ['a member that is not known', { ip: '192.0.2.1' }],
  ['a group that is no group id', { groupId: 'a b' }],
  ['a name with a line break', { name: 'a\nb' }],
])('%s is refused', async (_name, body) => {
  await say('status', {});
  expect((await api.call('PATCH', `/v1/devices/${deviceId}`, { body })).status).toBe(400);
});

test('a removed device is gone, its open alerts are resolved with person and reason, and a report registers it again', async () => {
  await say('status', { memory: { usedPercent: 93 }, storage: { freeMegabytes: 5 } });
  expect(await openCodes()).toHaveLength(2);
  expect((await api.call('DELETE', `/v1/devices/${deviceId}`)).status).toBe(204);
  expect((await api.call('GET', `/v1/devices/${deviceId}`)).status).toBe(404);
  expect((await api.call('DELETE', `/v1/devices/${deviceId}`)).status).toBe(404);
  expect(await openCodes()).toEqual([]);
  const all = await api.call('GET', `/v1/devices/${deviceId}/alerts?status=all`);
  expect(all.body.alerts.map(({ resolution }: { resolution: string }) => resolution)).toEqual(['deleted', 'deleted']);
  const { body } = await api.call('GET', `/v1/devices/${deviceId}/activity`);
  expect(body.entries.map(({ kind, summary }: Record<string, string>) => [kind, summary])).toEqual(
    expect.arrayContaining([
      ['device-removed', 'Decommissioned'],
      ['alert', 'RES_001: end (The camera was deleted)'],
    ]),
  );
  await say('status', { memory: { usedPercent: 94 } }, 60);
  expect((await api.call('GET', `/v1/devices/${deviceId}`)).body).toMatchObject({
    name: deviceId,
    groupId: 'unassigned',
  });
  expect(await openCodes()).toEqual(['RES_001']);
});

test('activity holds events, presence, late reports, guardian alerts and alert changes, newest first, in pages', async () => {
  await say('connection', { status: 'online', connectedAt: startOfTests }, 0);
  await say('status', { bootId: 'b', seq: 2, memory: { usedPercent: 93 } }, 20);
  await say('status', { bootId: 'b', seq: 1, memory: { usedPercent: 50 } }, 30);
  await say('event', { type: 'restarted', timestamp: plus(startOfTests, 40_000) }, 40);
  await say('guardian', guardianAlert('drift', ['clientId'], plus(startOfTests, 50_000)), 50);
  await say('connection', { status: 'offline', connectedAt: startOfTests, reason: 'keepalive_timeout' }, 60);
  const seen: unknown[] = [];
  let token = '';
  do {
    const { body } = await api.call(
      'GET',
      `/v1/devices/${deviceId}/activity?pageSize=2${token && `&pageToken=${token}`}`,
    );
    expect(body.entries.length).toBeLessThanOrEqual(2);
    seen.push(...body.entries.map(({ kind, summary }: Record<string, string>) => `${kind}: ${summary}`));
    token = body.nextPageToken ?? '';
  } while (token);
  expect(seen).toEqual([
    'presence: Disconnected: keepalive_timeout',
    expect.stringMatching(/guardian-alert: Configuration drift|alert: CFG_001/),
    expect.stringMatching(/guardian-alert: Configuration drift|alert: CFG_001/),
    'event: Event restarted',
    'stale-report: A status report came behind a newer one',
    'alert: RES_001: open',
    'presence: Connected',
  ]);
});

test('unchanged reports and detections leave no activity', async () => {
  for (let minute = 0; minute < 5; minute += 1)
    await say('status', { memory: { usedPercent: 20 + minute } }, minute * 60);
  const { body } = await api.call('GET', `/v1/devices/${deviceId}/activity`);
  expect(body.entries).toEqual([]);
});

test('guardian alerts are listed exactly as received, newest first, and repeated messages once', async () => {
  const deep = { deep: JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`), text: 'ü', zero: 0 };
  const drift = { ...guardianAlert('drift', ['clientId'], plus(startOfTests, 1000)), vendor: deep };
  const heal = guardianAlert('heal', ['clientId'], plus(startOfTests, 2000));
  for (const seconds of [5, 6, 7]) await say('guardian', drift, seconds);
  await api.call('PATCH', `/v1/devices/${deviceId}`, { body: { name: 'Gate' } });
  await say('guardian', heal, 8);
  const { body } = await api.call('GET', `/v1/guardian-alerts?deviceId=${deviceId}`);
  expect(body.guardianAlerts.map(({ guardianAlert: each }: { guardianAlert: unknown }) => each)).toEqual([heal, drift]);
  expect(body.guardianAlerts.map(({ deviceName }: { deviceName: unknown }) => deviceName)).toEqual(['Gate', null]);
  const drifts = await api.call('GET', `/v1/guardian-alerts?deviceId=${deviceId}&alertCode=CONFIG_DRIFT`);
  expect(drifts.body.guardianAlerts).toHaveLength(1);
  expect((await openCodes()).toSorted()).toEqual(['CFG_002']);
});

const device = { serial: 'S1', model: 'M1', ip: null };
const drift = guardianAlert('drift', ['clientId'], startOfTests);
const conflict = guardianAlert('conflict', ['clientId'], startOfTests);
const notified = (severity: string) => ({
  drift: { fields: [{ name: 'topicPrefix', expected: 'a', severity }], maxSeverity: severity, count: 1 },
});

test.each<[string, object, string[]]>([
  [
    'a window in words',
    {
      ...conflict,
      conflict: { driftCount: 4, window: 'a quarter of an hour', healAttempts: 4, lastDrift: { field: 'clientId' } },
    },
    ['CFG_003'],
  ],
  ['another action', { ...drift, action: 'ALERT_AND_WAIT' }, ['CFG_001']],
  ['another severity', { ...drift, severity: 'urgent' }, ['CFG_001']],
  [
    'a field without its actual value, of an unknown severity, which counts as HIGH',
    { ...drift, ...notified('WILD') },
    [],
  ],
  ['a device without an address', { ...drift, device }, ['CFG_001']],
])('a guardian alert with %s is stored and shown unchanged', async (_name, alert, codes) => {
  await say('guardian', alert);
  const { guardianAlerts } = (await api.call('GET', `/v1/guardian-alerts?deviceId=${deviceId}`)).body;
  expect(guardianAlerts.map((each: { guardianAlert: object }) => each.guardianAlert)).toEqual([alert]);
  const { reports } = (await api.call('GET', '/v1/quarantine')).body;
  expect(reports.filter((each: { deviceId: string }) => each.deviceId === deviceId)).toEqual([]);
  expect(await openCodes()).toEqual(codes);
});

test.each([
  ['no device', { device: undefined }],
  ['a drift without fields', { drift: { fields: [], maxSeverity: 'CRITICAL', count: 0 } }],
  ['no time', { timestamp: undefined }],
])('a guardian alert with %s opens its alert with what is missing filled in, and is noted', async (_name, change) => {
  await say('guardian', { ...guardianAlert('drift', ['clientId'], startOfTests), ...change });
  expect(await openCodes()).toEqual(['CFG_001']);
  const { guardianAlerts } = (await api.call('GET', `/v1/guardian-alerts?deviceId=${deviceId}`)).body;
  expect(guardianAlerts.map((each: { guardianAlert: object }) => each.guardianAlert)).toMatchObject([
    { alertCode: 'CONFIG_DRIFT', timestamp: startOfTests, drift: { maxSeverity: 'CRITICAL', count: 1 } },
  ]);
  const { body } = await api.call('GET', '/v1/quarantine');
  expect(body.reports[0]).toMatchObject({ deviceId, kind: 'guardian', reason: 'wrong-shape' });
});

test('a guardian alert about a heal is never completed', async () => {
  await say('guardian', { ...guardianAlert('heal', ['clientId'], startOfTests), heal: undefined });
  expect((await api.call('GET', `/v1/guardian-alerts?deviceId=${deviceId}`)).body.guardianAlerts).toEqual([]);
  const { body } = await api.call('GET', '/v1/quarantine');
  expect(body.reports[0]).toMatchObject({ deviceId, kind: 'guardian', reason: 'wrong-shape' });
});

test('the alerts of a device that nobody knows, or that is of other groups are not found', async () => {
  const alertsOf = async (id: string, given = {}) => {
    const { status, body } = await api.call('GET', `/v1/devices/${id}/alerts`, given);
    return [status, body.code];
  };
  expect(await alertsOf('nobody')).toEqual([404, 'not-found']);
  await say('status', { groupId: 'north', memory: { usedPercent: 93 } });
  expect(await openCodes()).toEqual(['RES_001']);
  const token = await api.issuer.token({ groups: ['south'] });
  expect(await alertsOf(deviceId, { token })).toEqual([404, 'not-found']);
});

test('a bearer of other groups finds neither the device nor what happened on it', async () => {
  await say('status', { groupId: 'north' });
  await say('event', { type: 'restarted', timestamp: startOfTests });
  await say('guardian', guardianAlert('drift', ['clientId'], startOfTests));
  const token = await api.issuer.token({ groups: ['south'] });
  for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
    expect((await api.call(method, `/v1/devices/${deviceId}`, { token, body })).status).toBe(404);
  }
  expect((await api.call('GET', `/v1/devices/${deviceId}/activity`, { token })).body.entries).toEqual([]);
  expect((await api.call('GET', `/v1/guardian-alerts?deviceId=${deviceId}`, { token })).body.guardianAlerts).toEqual(
    [],
  );
  const own = await api.issuer.token({ groups: ['north'] });
  expect((await api.call('PATCH', `/v1/devices/${deviceId}`, { token: own, body: { groupId: 'south' } })).status).toBe(
    404,
  );
  expect((await api.call('GET', `/v1/devices/${deviceId}/activity`, { token: own })).body.entries).not.toEqual([]);
});

async function quarantined(kind: string, body: unknown, autoRegister = true): Promise<string> {
  const sent = message(kind, body, { deviceId, messageId: `q-${deviceId}` });
  await takeMessage(world, sent, { ...intake, autoRegister, frames });
  return `/v1/quarantine/${sent.messageId}`;
}

test('a retry of a quarantined report registers a device that may not register itself', async () => {
  const path = await quarantined('status', { memory: { usedPercent: 93 } }, false);
  expect((await api.call('GET', `/v1/devices/${deviceId}`)).status).toBe(404);
  for (let times = 0; times < 2; times += 1) {
    expect((await api.call('POST', `${path}/retry`)).body).toMatchObject({
      status: 'retried',
      reason: 'unknown-device',
    });
  }
  expect(await openCodes()).toEqual(['RES_001']);
  await takeMessage(world, message('status', {}, { deviceId }), { ...intake, autoRegister: false, frames });
  expect((await api.call('GET', `/v1/devices/${deviceId}`)).status).toBe(200);
  expect((await api.call('POST', `${path}/dismiss`)).status).toBe(409);
});

test('a retried report that still cannot be read stays in quarantine; a dismissed one cannot be retried', async () => {
  const path = await quarantined('status', { memory: { usedPercent: 'much' } });
  expect((await api.call('POST', `${path}/retry`)).body).toMatchObject({
    status: 'quarantined',
    reason: 'wrong-shape',
  });
  for (let times = 0; times < 2; times += 1) {
    expect((await api.call('POST', `${path}/dismiss`)).body).toMatchObject({ status: 'dismissed' });
  }
  expect((await api.call('POST', `${path}/retry`)).body).toMatchObject({ code: 'invalid-transition' });
  expect((await api.call('POST', '/v1/quarantine/none/retry')).status).toBe(404);
});

test('a retry handles a dead letter after the fault is over', async () => {
  const dead = message('status', { memory: { usedPercent: 95 } }, { deviceId, messageId: `d-${deviceId}` });
  await takeDeadLetter(world, dead, intake);
  expect((await api.call('GET', '/v1/quarantine')).body.reports[0]).toMatchObject({ reason: 'dead-letter', deviceId });
  await api.call('POST', `/v1/quarantine/${dead.messageId}/retry`);
  expect(await openCodes()).toEqual(['RES_001']);
});

test('a retry of a dead-lettered detection stores it as usual', async () => {
  const detection = {
    timestamp: startOfTests,
    profile: { id: 'p', name: 'Gate' },
    skill: { id: 's', name: 'People' },
    session: { id: `session-${deviceId}`, url: 'https://sessions.example/1' },
    analysis: { objects: [], questions: [], summary: 'nobody' },
    imageUrl: 'https://frames.example/1.jpg',
  };
  const dead = message('detection', detection, { deviceId, messageId: `d-${deviceId}` });
  await takeDeadLetter(world, dead, intake);
  const before = await world.store.count({ in: 'detections' });
  await api.call('POST', `/v1/quarantine/${dead.messageId}/retry`);
  expect(await world.store.count({ in: 'detections' })).toBe(before + 1);
});
