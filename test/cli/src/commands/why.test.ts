import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { openTestAlert } from '../../../support/records/alerts.ts';
import { giveIncident } from '../../../support/records/incidents.ts';
import { message } from '../../../support/records/reports.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { commandLineOf } from '../../../support/world/command-line.ts';
import { frames } from '../../../support/world/frames.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let line: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  api = await startTestApi();
  line = commandLineOf(api);
});
afterAll(() => api.stop());
const why = (given: string, ...more: string[]) => line.run(['why', given, ...more]);
const take = (kind: string, body: object, deviceId: string) =>
  takeMessage(api.world, message(kind, body, { deviceId, publishTime: api.world.now() }), {
    bridgeDialect: 'native',
    autoRegister: true,
    frames,
  });

test('a camera that loses its connection is offline with the reason that the broker told, and online before', async () => {
  await take('status', { memory: { usedPercent: 20 } }, 'cam-gate');
  expect((await why('cam-gate')).out).toMatch(
    /^cam-gate is online\. It is connected and reports\.\n- 10:\d\d \(now\): Its last sign of life on record\.\n/,
  );
  api.world.pass(60);
  const connectedAt = '2026-11-20T09:00:00.000Z';
  await take('connection', { status: 'offline', reason: 'keepalive timeout', connectedAt }, 'cam-gate');
  api.world.pass(600);
  const { status, out, err } = await why('cam-gate');
  expect([status, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^cam-gate is offline since 10:\d\d \(10 min ago\)\. Its connection was lost \(keepalive timeout\)\. No other camera hangs where it does/,
  );
  expect(out).toMatch(/^- 10:\d\d \(10 min ago\): Its connection was lost: keepalive timeout\.$/m);
  const said = JSON.parse((await why('cam-gate', '--json')).out);
  expect(said.sentence).toMatch(/ is offline since 2026-11-20T10:\S+Z\. /);
});

test('a camera of which nothing ever came says so, and what to look at', async () => {
  await api.call('PUT', '/v1/devices', { body: { devices: [{ deviceId: 'cam-new', groupId: 'north' }] } });
  expect((await why('cam-new')).out).toMatch(
    /^cam-new was never seen\. It was registered, and nothing was ever heard of it\.\n.*broker-accounts --check/s,
  );
});

test('an alert and an incident are explained by their ids and the beginnings of them', async () => {
  await api.call('PUT', '/v1/teams/operations', { body: { emails: ['ana@example.com'] } });
  const alertId = await openTestAlert(api.world, {
    alertId: 'abcdef01-0000-4000-8000-000000000001',
    deviceName: 'Gate 9',
  });
  const { out } = await why('abcdef01');
  expect(out).toMatch(
    /^People were told of CONN_001 of Gate 9 at 10:\d\d \(now\), because it was opened: by email to ana@example\.com\.\n/,
  );
  expect((await why(alertId)).out).toBe(out);
  await giveIncident(api.world, '33864506-4d4f-5f42-bcf2-70fc47afbd36', 'north', 'Switch');
  expect((await why('33864506')).out).toMatch(/^Nobody was told of the incident "Switch"/);
});

test('what is nothing is named, and of several alerts that begin so each', async () => {
  const ids = [1, 2].map((at) => `feedface-0000-4000-8000-00000000000${at}`);
  for (const alertId of ids) await openTestAlert(api.world, { alertId });
  const several = await why('feedface');
  expect([several.status, several.out, several.err]).toEqual([
    1,
    '',
    expect.stringContaining('Several alertIds begin with "feedface"'),
  ]);
  for (const id of ids) expect(several.err).toContain(id);
  const none = await why('cam-none');
  expect([none.status, none.err]).toEqual([
    1,
    expect.stringContaining('There is no camera, alert or incident cam-none'),
  ]);
});
