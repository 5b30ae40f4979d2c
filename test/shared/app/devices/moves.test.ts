import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { listAlerts, listDeviceAlerts } from '../../../../shared/app/alerts/list.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { removeDevice } from '../../../../shared/app/devices/devices.ts';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import { ana } from '../../../support/records/alerts.ts';
import { at, createTimeline } from '../../../support/world/timeline.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const memory = (usedPercent: number, more: object = {}) => ({ memory: { usedPercent }, ...more });
const of = (group: string): Bearer => ({ ...ana, subject: group, groups: [group] });

test.each<[string, string, (line: ReturnType<typeof createTimeline>) => Promise<unknown>]>([
  ['a person', 'north', (line) => changeDevice(line.world, ana, 'cam-1', { groupId: 'south' })],
  ['its report', 'unassigned', (line) => line.says(100, 'status', memory(95, { groupId: 'south' }))],
])(
  'a camera that %s moves takes its open alerts along: closed in the old group, open in the new one',
  async (_, from, moves) => {
    const line = createTimeline();
    await line.says(
      0,
      'status',
      memory(95, { ...(from === 'north' ? { groupId: from } : {}), mqtt: { latencyMs: 900 } }),
    );
    await line.acts('RES_001', { kind: 'acknowledge' });
    await line.until(60);
    await moves(line);
    const found = (await line.alerts()).map(({ code, status, groupId, resolution, timestamp }) => [
      code,
      status,
      groupId,
      resolution,
      timestamp,
    ]);
    expect(found.toSorted()).toEqual([
      ['CONN_003', 'active', 'south', null, at(0)],
      ['CONN_003', 'resolved', from, 'moved', at(0)],
      ['RES_001', 'active', 'south', null, at(0)],
      ['RES_001', 'resolved', from, 'moved', at(0)],
    ]);
    expect((await line.trail('RES_001')).map(({ groupId, action, why }) => `${groupId} ${action} ${why}`)).toEqual(
      expect.arrayContaining([
        `${from} end The camera moved to another group`,
        'south open Moved with its camera from another group',
      ]),
    );
    await line.says(200, 'status', memory(20, { mqtt: { latencyMs: 10 } }));
    await line.says(300, 'status', memory(95, { mqtt: { latencyMs: 900 } }));
    const { alerts, counts } = await listAlerts(line.world, of(from), { status: ['all'] }, tokens);
    expect(alerts.map(({ status }) => status)).toEqual(['resolved', 'resolved']);
    expect(counts).toEqual({ active: 0, acknowledged: 0, escalated: 0 });
    const [old] = alerts;
    expect(old && (await line.world.store.get('alerts', [old.alertId]))[0]?.data.lastSeenAt).toBe(at(0));
  },
);

test('what ended in the group that a camera has left is not reopened there', async () => {
  const line = createTimeline();
  await line.says(0, 'status', memory(95, { groupId: 'north' }));
  await line.acts('RES_001', { kind: 'resolve' });
  await changeDevice(line.world, ana, 'cam-1', { groupId: 'south' });
  await expect(line.acts('RES_001', { kind: 'reopen' })).rejects.toMatchObject({ code: 'invalid-transition' });
});

test('what is back within 10 minutes, but in another group, is a new alert there', async () => {
  const line = createTimeline();
  await line.says(0, 'status', memory(95));
  await line.says(60, 'status', memory(20));
  await line.says(120, 'status', memory(95, { groupId: 'south' }));
  const found = (await line.alerts()).filter(({ code }) => code === 'RES_001');
  expect(found.map(({ groupId, status, timestamp }) => `${groupId} ${status} ${timestamp}`).toSorted()).toEqual([
    `south active ${at(120)}`,
    `unassigned resolved ${at(0)}`,
  ]);
});

test('a camera is not deleted by who may not see all that is open on it; its alerts are listed where it is known', async () => {
  const line = createTimeline();
  await line.says(0, 'status', memory(95, { groupId: 'north' }));
  const [alert] = await line.alerts();
  const [stored] = await line.world.store.get('alerts', [alert?.alertId ?? '']);
  if (!stored) throw new Error('no alert');
  const data = { ...stored.data, groupId: 'elsewhere' };
  await line.world.store.commit([{ kind: 'replace', in: 'alerts', id: stored.id, data, revision: stored.revision }]);
  await expect(removeDevice(line.world, of('north'), 'cam-1')).rejects.toMatchObject({ code: 'forbidden' });
  await removeDevice(line.world, ana, 'cam-1');
  expect((await listDeviceAlerts(line.world, ana, 'cam-1', { status: ['all'] }, tokens)).alerts).toHaveLength(1);
  await expect(listDeviceAlerts(line.world, ana, 'cam-2', {}, tokens)).rejects.toMatchObject({ code: 'not-found' });
});

test('the first page of a list counts what is open by state, with its other filters and whatever states it shows', async () => {
  const line = createTimeline();
  await line.says(
    0,
    'status',
    memory(95, { groupId: 'north', mqtt: { latencyMs: 900 }, storage: { freeMegabytes: 5 } }),
  );
  await line.acts('RES_001', { kind: 'acknowledge' });
  const page = await listAlerts(line.world, ana, { status: ['resolved'] }, tokens);
  expect(page).toEqual({ alerts: [], counts: { active: 2, acknowledged: 1, escalated: 0 } });
  const first = await listAlerts(line.world, ana, { severity: ['WARNING'], pageSize: 1 }, tokens);
  expect(first.counts).toEqual({ active: 2, acknowledged: 0, escalated: 0 });
  const second = await listAlerts(
    line.world,
    ana,
    { severity: ['WARNING'], pageSize: 1, pageToken: first.nextPageToken ?? '' },
    tokens,
  );
  expect(second.counts).toBeUndefined();
});

test('a connectivity alert has the three members of the contract, also of a camera that reported nothing', async () => {
  const line = createTimeline();
  await line.says(0, 'status', {});
  await line.says(100, 'connection', { status: 'offline' });
  await line.sweptUntil(420);
  expect((await line.alerts())[0]?.context).toEqual({
    lastConnected: at(100),
    brokerHost: '',
    reconnectAttempts: 0,
    cause: 'disconnected',
  });
});

test('what a camera says of its own connection does not change since when people are notified that it is offline', async () => {
  const line = createTimeline();
  await line.says(0, 'status', { mqtt: { lastConnected: at(3600) } });
  await line.says(100, 'connection', { status: 'offline' });
  await line.sweptUntil(420);
  expect((await line.alerts())[0]?.context).toMatchObject({ lastConnected: at(100) });
});
