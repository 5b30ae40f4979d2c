import { expect, test } from 'vitest';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const minute = 60;

const names = (count: number, prefix = 'cam') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

async function reportNow(world: TestWorld, devices: string[]) {
  for (const deviceId of devices) {
    await takeMessage(
      world,
      message('status', { memory: { usedPercent: 20 } }, { deviceId, publishTime: world.now() }),
      intake,
    );
  }
}

/** Minutes pass one by one: those who live report, and the sweep looks. */
async function live(world: TestWorld, minutes: number, devices: string[]) {
  for (let passed = 0; passed < minutes; passed += 1) {
    world.pass(minute);
    await reportNow(world, devices);
    await sweep(world);
  }
}

async function openAlerts({ store }: TestWorld) {
  const alerts = await store.find({ in: 'alerts', where: [{ field: 'isOpen', is: '==', value: true }], limit: 10_000 });
  return alerts.map(({ data }) => data);
}

async function notices({ store }: TestWorld) {
  return (await store.find({ in: 'notices', limit: 100 })).map(({ data }) => data);
}

test('a camera that stops reporting while others go on is declared silent; its next report ends that', async () => {
  const world = createTestWorld();
  const others = names(20, 'other');
  await reportNow(world, ['cam-0', ...others]);
  await live(world, 8, others);
  expect(await openAlerts(world)).toEqual([]);
  await live(world, 2, others);
  expect(await openAlerts(world)).toMatchObject([
    { deviceId: 'cam-0', code: 'CONN_001', context: { cause: 'silent' } },
  ]);
  await live(world, 1, ['cam-0', ...others]);
  expect(await openAlerts(world)).toEqual([]);
  const trail = (await world.store.find({ in: 'audit', limit: 10 })).map(({ data }) => [data.action, data.who]);
  // Time brought the alert about, the device ended it and so made CONN_004.
  expect(trail.toSorted()).toEqual([
    ['end', 'device'],
    ['open', 'device'],
    ['open', 'system'],
  ]);
});

test('the alarm of a lost connection raises CONN_001, however often and early it rings', async () => {
  const world = createTestWorld();
  await reportNow(world, ['cam-0']);
  const lostAt = world.pass(10);
  await takeMessage(
    world,
    message('connection', { status: 'offline' }, { deviceId: 'cam-0', publishTime: lostAt }),
    intake,
  );
  expect(world.wakes).toMatchObject([{ in: 'devices', id: 'cam-0', dueAt: plus(lostAt, 300_000) }]);
  await handleDue(world, 'devices', 'cam-0');
  expect(await openAlerts(world)).toEqual([]);
  world.pass(300);
  await Promise.all([handleDue(world, 'devices', 'cam-0'), handleDue(world, 'devices', 'cam-0')]);
  expect(await openAlerts(world)).toMatchObject([
    { code: 'CONN_001', occurrences: 1, context: { cause: 'disconnected' } },
  ]);
});

test('where that alarm is lost, the sweep finds the device a minute later', async () => {
  const world = createTestWorld();
  await reportNow(world, ['cam-0']);
  await takeMessage(
    world,
    message('connection', { status: 'offline' }, { deviceId: 'cam-0', publishTime: world.pass(10) }),
    intake,
  );
  world.pass(300);
  expect(await sweep(world)).toMatchObject({ devices: 0 });
  world.pass(60);
  expect(await sweep(world)).toMatchObject({ devices: 1 });
  expect(await openAlerts(world)).toMatchObject([{ code: 'CONN_001' }]);
});

test('over 30 % of the fleet silent in one sweep is our blindness: one notice, no alert, and new clocks', async () => {
  const world = createTestWorld();
  const [dark, well] = [names(40, 'dark'), names(60, 'well')];
  await reportNow(world, [...dark, ...well]);
  await live(world, 10, well);
  expect(await openAlerts(world)).toEqual([]);
  expect(await notices(world)).toMatchObject([{ kind: 'platform-blind', text: expect.stringContaining('40 of 100') }]);
  expect(world.wakes.filter((wake) => wake.in === 'notices')).toHaveLength(1);
  await live(world, 3, [...dark, ...well]);
  await live(world, 20, [...dark, ...well]);
  expect(await openAlerts(world)).toEqual([]);
  expect(await notices(world)).toHaveLength(1);
});

test('those who stay silent through the new clocks while the others report are silent after all', async () => {
  const world = createTestWorld();
  const [dark, well] = [names(40, 'dark'), names(60, 'well')];
  await reportNow(world, [...dark, ...well]);
  await live(world, 16, well);
  expect(await openAlerts(world)).toEqual([]);
  await live(world, 3, well);
  expect(await openAlerts(world)).toHaveLength(40);
  expect(await notices(world)).toHaveLength(1);
});

test.each([
  ['30 of 100 are not over 30 %', 30, 70, 30],
  ['31 of 100 are', 31, 69, 0],
  ['9 are too few to doubt ourselves', 9, 1, 9],
  ['10 are enough', 10, 1, 0],
])('%s', async (_name, darkCount, wellCount, alerts) => {
  const world = createTestWorld();
  const [dark, well] = [names(darkCount, 'dark'), names(wellCount, 'well')];
  await reportNow(world, [...dark, ...well]);
  await live(world, 10, well);
  expect(await openAlerts(world)).toHaveLength(alerts);
  expect(await notices(world)).toHaveLength(alerts === 0 ? 1 : 0);
});

test('while ingest handles nothing no camera is declared silent; the clocks start anew, with a grace, when reports flow', async () => {
  const world = createTestWorld();
  const [few, lost] = [names(5), ['lost-0']];
  await reportNow(world, [...few, ...lost]);
  await live(world, 30, []);
  expect(await openAlerts(world)).toEqual([]);
  expect(await notices(world)).toMatchObject([{ text: expect.stringContaining('no report of any device') }]);
  // 5 minutes, two report periods, and one of grace.
  await live(world, 8, few);
  expect(await openAlerts(world)).toEqual([]);
  await live(world, 2, few);
  expect(await openAlerts(world)).toMatchObject([{ deviceId: 'lost-0', context: { cause: 'silent' } }]);
  expect(await notices(world)).toHaveLength(1);
});

test('a lone camera that reports each minute never makes the platform doubt itself', async () => {
  const world = createTestWorld();
  await live(world, 30, ['cam-0']);
  expect(await notices(world)).toEqual([]);
});

test('two sweeps at once come to one notice', async () => {
  const world = createTestWorld();
  const [dark, well] = [names(40, 'dark'), names(60, 'well')];
  await reportNow(world, [...dark, ...well]);
  for (let passed = 0; passed < 9; passed += 1) {
    world.pass(minute);
    await reportNow(world, well);
  }
  await Promise.all([sweep(world), sweep(world)]);
  expect(await notices(world)).toHaveLength(1);
  expect(await openAlerts(world)).toEqual([]);
});
