import { expect, test } from 'vitest';
import { plus } from '../../../../shared/domain/time.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind, openingsOf } from '../../../support/world/living-fleet.ts';
import { openAlerts } from '../../../support/world/ways.ts';
import type { TestWorld } from '../../../support/world/world.ts';

const minute = 60;
const alertsOf = async ({ store }: TestWorld, code = 'CONN_001') => {
  const found = await store.find({ in: 'alerts', limit: 1000 });
  return found.map(({ data }) => data).filter((alert) => alert.code === code);
};
/** What endpoints and the feed are told, in the order of the commits. */
const told = async ({ store }: TestWorld) => {
  const found = await store.find({ in: 'events', limit: 1000 });
  const inOrder = found.toSorted((a, b) => Number(a.revision) - Number(b.revision));
  return inOrder.map(({ data: { facts } }) => `${facts?.code} ${facts?.change}`);
};

/** A camera that is lost for so many seconds each time, with so many minutes after each return. */
async function lost(...times: readonly [seconds: number, minutesAfter: number][]) {
  const cameras = behind('a', '1', 8);
  const [camera = ''] = cameras;
  const fleet = await lateFleet(cameras);
  const { world, darken, light, minutes } = fleet;
  await minutes(2);
  const spells: { at: string; backAt: string }[] = [];
  for (const [seconds, after] of times) {
    const at = world.now();
    await darken([camera]);
    await minutes(Math.floor(seconds / minute));
    world.pass(seconds % minute);
    spells.push({ at, backAt: world.now() });
    await light([camera]);
    await minutes(after);
  }
  return { ...fleet, spells };
}

test.each([301, 302, 330, 385])(
  'a loss of %i s is recorded with its times, and nobody is notified',
  async (seconds) => {
    const { world, spells } = await lost([seconds, 6]);
    const [{ at = '', backAt = '' } = {}] = spells;
    const recorded = await alertsOf(world);
    expect(recorded).toMatchObject([
      { timestamp: plus(at, 300_000), resolvedAt: backAt, lostAt: at, resolution: 'automatic', isOpen: false },
    ]);
    expect(await alertsOf(world, 'CONN_004')).toMatchObject([{ timestamp: backAt, resolvedAt: backAt }]);
    expect((await told(world)).filter((line) => line.startsWith('CONN'))).toEqual([
      'CONN_001 opened',
      'CONN_001 resolved',
    ]);
    expect(openingsOf(world).filter((line) => line.includes('offline'))).toEqual([]);
  },
);

test('a loss during which no sweep ran proves nothing', async () => {
  const { world } = await lost([350, 6]);
  expect(await alertsOf(world)).toEqual([]);
});

test('a loss of five minutes is none', async () => {
  const { world } = await lost([300, 6]);
  expect(await alertsOf(world)).toEqual([]);
});

test('a loss that was declared is recorded once', async () => {
  const { world } = await lost([15 * minute, 8]);
  expect(await alertsOf(world)).toHaveLength(1);
  expect(await alertsOf(world, 'CONN_004')).toHaveLength(1);
});

test('a loss within ten minutes of the end of another is a spell of its alert, and the third makes it come and go', async () => {
  const { world, spells, minutes } = await lost([310, 5], [310, 5]);
  expect(await alertsOf(world)).toMatchObject([{ occurrences: 2, resolvedAt: spells[1]?.backAt, flapping: false }]);
  const three = await lost([310, 5], [310, 5], [310, 5]);
  expect(await alertsOf(three.world)).toMatchObject([{ flapping: true, isOpen: true }]);
  await three.minutes(35);
  expect(await openAlerts(three.world)).toEqual([]);
  await minutes(1);
});

test('a second loss later is an alert of its own', async () => {
  const { world } = await lost([310, 15], [310, 5]);
  expect(await alertsOf(world)).toHaveLength(2);
});
