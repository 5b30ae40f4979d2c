import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { message } from '../../../support/records/reports.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { frames } from '../../../support/world/frames.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
  const devices = [
    { deviceId: 'cam-1', groupId: 'north' },
    { deviceId: 'cam-2', groupId: 'south' },
  ];
  await api.call('PUT', '/v1/devices', { body: { devices } });
});
afterEach(() => api.stop());

const report = (deviceId: string, body: object) =>
  takeMessage(api.world, message('status', body, { deviceId, publishTime: api.world.now() }), {
    bridgeDialect: 'native',
    autoRegister: true,
    frames,
  });
const putLimits = async (limits: object[]) => {
  const settings = (await api.call('GET', '/v1/settings')).body;
  const answer = await api.call('PUT', '/v1/settings', { body: { ...settings, limits } });
  api.world.pass(11 * 60);
  return answer;
};
type Listed = { alertId: string; deviceId: string; code: string; message: string };
const list = async (): Promise<Listed[]> => (await api.call('GET', '/v1/alerts')).body.alerts;
const open = async () => (await list()).map((each) => `${each.deviceId} ${each.code} ${each.message}`).toSorted();

test('a group has its own limits, and explain says which one it was', async () => {
  await putLimits([{ groups: ['north'], memory: { high: 93, critical: 97 }, certificateDays: 30 }]);
  const notAfter = new Date(Date.parse(api.world.now()) + 20 * 24 * 3600_000).toISOString();
  for (const deviceId of ['cam-1', 'cam-2']) {
    await report(deviceId, { memory: { usedPercent: 92 }, certificate: { valid: true, notAfter } });
  }
  expect(await open()).toEqual([
    'cam-1 SEC_003 Certificate ends in 20 days, limit 30 days',
    'cam-2 RES_001 Memory at 92 %, limit 90 %',
  ]);
  const limits: Record<string, unknown> = {};
  for (const { alertId, code } of await list()) {
    limits[code] = (await api.call('GET', `/v1/alerts/${alertId}/explain`)).body.limit;
  }
  expect(limits).toEqual({
    RES_001: { value: 90, unit: '%', from: 'catalogue' },
    SEC_003: { value: 30, unit: 'days', from: 'settings' },
  });
});

test('an alert ends when its limit is raised beyond the reading', async () => {
  await report('cam-1', { memory: { usedPercent: 92 } });
  expect(await open()).toHaveLength(1);
  await putLimits([{ memory: { high: 95, critical: 98 } }]);
  await report('cam-1', { memory: { usedPercent: 92 } });
  expect(await open()).toEqual([]);
});

test.each([
  [{ memory: { high: 95, critical: 90 } }, '/limits/0/memory/critical', 'must be more than `high`: 95'],
  [{ memory: { high: 95 } }, '/limits/0/memory/high', 'must be less than `critical`: 90'],
  [{ memory: { critical: 70 } }, '/limits/0/memory/critical', 'must be more than `high`: 80'],
])('limits that contradict each other are refused: %j', async (entry, pointer, detail) => {
  const { status, body } = await putLimits([entry]);
  expect([status, body.errors]).toEqual([400, [{ pointer, detail }]]);
});
