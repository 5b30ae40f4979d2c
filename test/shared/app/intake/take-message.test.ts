import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { listAlerts } from '../../../../shared/app/alerts/list.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import type { World } from '../../../../shared/app/ports.ts';
import type { Message } from '../../../../shared/domain/intake/pushed.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

const anyone: Bearer = { subject: 'ana', scopes: new Set(['alerts:read']), groups: null };
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const at = (seconds: number) => ({ publishTime: plus(startOfTests, seconds * 1000) });

async function alertsOf(world: World) {
  const { alerts } = await listAlerts(
    world,
    anyone,
    { status: ['all'], orderBy: 'timestamp asc' },
    createPageTokens(Buffer.alloc(32)),
  );
  return alerts;
}

async function takeAll(world: World, messages: Message[]) {
  for (const each of messages) await takeMessage(world, each, intake);
}

test('memory that rises, falls and recovers opens, supersedes and resolves its alerts', async () => {
  const world = createTestWorld();
  await takeAll(world, [
    message('status', { memory: { usedPercent: 84 } }, at(0)),
    message('status', { memory: { usedPercent: 93 } }, at(60)),
    message('status', { memory: { usedPercent: 70 } }, at(120)),
  ]);
  const seen = (await alertsOf(world)).map(({ code, status, resolution, message: text }) => [
    code,
    status,
    resolution,
    text,
  ]);
  expect(seen).toEqual([
    ['RES_002', 'resolved', 'superseded', 'Memory at 84 %, limit 80 %'],
    ['RES_001', 'resolved', 'automatic', 'Memory at 93 %, limit 90 %'],
    ['RES_004', 'resolved', 'automatic', expect.any(String)],
  ]);
});

test('one report ten times gives one alert and counts once', async () => {
  const world = createTestWorld();
  const report = message('status', { memory: { usedPercent: 93 } });
  await Promise.all(Array.from({ length: 10 }, () => takeMessage(world, report, intake)));
  const alerts = await alertsOf(world);
  expect(alerts.map(({ code, occurrences }) => [code, occurrences])).toEqual([['RES_001', 1]]);
});

test('two reports of one moment that end the same alert are both taken, whatever else they say', async () => {
  const world = createTestWorld();
  await takeAll(world, [message('status', { mqtt: { latencyMs: 800 } }, at(0))]);
  const together = [
    { mqtt: { latencyMs: 20 }, firmware: '2.0' },
    { mqtt: { latencyMs: 20 }, name: 'Door' },
  ];
  await Promise.all(together.map((body) => takeMessage(world, message('status', body, at(60)), intake)));
  expect((await alertsOf(world)).map(({ code, status }) => [code, status])).toEqual([['CONN_003', 'resolved']]);
  const [device] = await world.store.get('devices', ['cam-1']);
  expect(device?.data).toMatchObject({ firmware: '2.0', name: 'Door' });
});

test('a report sent again as a new message, recognised by boot and sequence, counts once', async () => {
  const world = createTestWorld();
  const body = { bootId: 'b1', seq: 7, memory: { usedPercent: 93 } };
  await takeAll(world, [message('status', body, at(0)), message('status', body, at(1))]);
  expect((await alertsOf(world)).map(({ occurrences }) => occurrences)).toEqual([1]);
});

test('each further sighting is counted on the open alert', async () => {
  const world = createTestWorld();
  await takeAll(
    world,
    [93, 94, 95].map((usedPercent, index) => message('status', { memory: { usedPercent } }, at(index * 60))),
  );
  const [alert] = await alertsOf(world);
  expect(alert).toMatchObject({ code: 'RES_001', occurrences: 3, message: 'Memory at 95 %, limit 90 %' });
});

test('what cannot be read is kept with its reasons while good reports flow', async () => {
  const world = createTestWorld();
  await takeAll(world, [
    message('status', Buffer.from('not json')),
    message('status', { memory: { usedPercent: 'much' } }),
    message('nonsense', {}),
    message('status', { deviceId: 'cam-2', memory: { usedPercent: 99 } }),
    message('status', Buffer.alloc(256 * 1024 + 1, 'a')),
    message('status', { storage: { freeMegabytes: 50 } }),
  ]);
  expect((await alertsOf(world)).map(({ code }) => code)).toEqual(['RES_003']);
  const kept = await world.store.find({ in: 'quarantine', limit: 10 });
  expect(kept.map(({ data }) => data.reason).toSorted()).toEqual([
    'foreign-device',
    'too-large',
    'unknown-kind',
    'unreadable',
    'wrong-shape',
  ]);
  const wrong = kept.find(({ data }) => data.reason === 'wrong-shape');
  expect(wrong?.data.errors).toEqual([{ pointer: '/memory/usedPercent', detail: 'must be number' }]);
});
