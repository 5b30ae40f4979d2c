import { expect, test } from 'vitest';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { message } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const day = startOfTests.slice(0, 10);

/** `n` events of a device, one a second. */
async function events(world: TestWorld, n: number, { type = 'door-opened', from = 0, deviceId = 'cam-1' } = {}) {
  for (let index = from; index < from + n; index += 1) {
    const at = plus(startOfTests, index * 1000);
    await takeMessage(world, message('event', { type, timestamp: at }, { publishTime: at, deviceId }), intake);
  }
}
const linesOf = async (world: TestWorld) =>
  (await world.store.find({ in: 'activity', limit: 5000 })).map(({ data }) => data);

test('of a device 200 lines a day are kept, then one that says so, then none', async () => {
  const world = createTestWorld();
  await events(world, 260);
  await events(world, 3, { deviceId: 'cam-2' });
  const lines = await linesOf(world);
  const own = lines.filter(({ deviceId }) => deviceId === 'cam-1');
  expect(own.filter(({ kind }) => kind === 'event')).toHaveLength(200);
  expect(own.filter(({ kind }) => kind !== 'event')).toMatchObject([
    { kind: 'more-not-kept', who: 'system', summary: expect.stringContaining(`More than 200 lines on ${day}`) },
  ]);
  expect(lines.filter(({ deviceId }) => deviceId === 'cam-2')).toHaveLength(3);
});

test('what raises a code is kept and decided whatever was before it', async () => {
  const world = createTestWorld();
  await events(world, 210);
  await events(world, 1, { type: 'unauthorized_broker_attempt', from: 300 });
  const alerts = await world.store.find({ in: 'alerts', limit: 10 });
  expect(alerts.map(({ data }) => data.code)).toEqual(['SEC_002']);
  expect((await linesOf(world)).filter(({ summary }) => summary.includes('unauthorized'))).toHaveLength(1);
  await events(world, 5, { type: 'unauthorized_broker_attempt', from: 400 });
  const [again] = await world.store.find({ in: 'alerts', limit: 10 });
  expect(again?.data.occurrences).toBe(6);
});

test('the next day begins anew, and what comes late is counted to the day that it comes on', async () => {
  const world = createTestWorld();
  await events(world, 205);
  const tomorrow = 24 * 3600;
  await events(world, 10, { from: tomorrow });
  await events(world, 5, { from: 1000 });
  const lines = await linesOf(world);
  expect(lines.filter(({ kind }) => kind === 'event')).toHaveLength(215);
  const [device] = await world.store.get('devices', ['cam-1']);
  expect(device?.data.activityCount).toEqual({ day: plus(startOfTests, tomorrow * 1000).slice(0, 10), count: 15 });
});
