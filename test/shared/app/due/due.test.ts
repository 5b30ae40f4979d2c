import { describe, expect, test } from 'vitest';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { handleWake, isWakeKind } from '../../../../shared/app/due/handle-wake.ts';
import { dueTable, isDueKind } from '../../../../shared/app/due/table.ts';
import { alertOf, giveTeam, openTestAlert } from '../../../support/records/alerts.ts';
import { storeDelivery } from '../../../support/records/deliveries.ts';
import { afterPause, createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const dueAt = '2026-11-20T10:05:00.000Z';

/** A world in which each pause advances the clock, with an alert that escalates in 300 s. */
async function waiting() {
  const plain = createTestWorld();
  await giveTeam(plain, 'operations', { emails: ['ops@example.com'] });
  const alertId = await openTestAlert(plain, { deviceId: 'cam-1' });
  plain.wakes.splice(0);
  const pauses: number[] = [];
  const after = afterPause(async (ms) => {
    pauses.push(ms);
    plain.pass(ms / 1000);
  });
  const world: TestWorld = { ...plain, after };
  return { world, alertId, pauses };
}

describe('a call that comes early', () => {
  test.each([
    [299, [1000], 'escalated', false],
    [298.999, [], 'active', true],
    [299.999, [1], 'escalated', false],
    [300, [], 'escalated', false],
  ])('at %d s of 300 waits %o ms, and the alert is %s', async (seconds, expected, status, isSetAgain) => {
    const { world, alertId, pauses } = await waiting();
    world.pass(seconds);
    expect(await handleDue(world, 'alerts', alertId, 1000)).toBe(status === 'escalated');
    expect(pauses).toEqual(expected);
    const alert = await alertOf(world, alertId);
    expect(alert.status).toBe(status);
    const again = world.wakes.filter((wake) => wake.in === 'alerts' && wake.dueAt === dueAt);
    expect(again).toEqual(isSetAgain ? [{ in: 'alerts', id: alertId, version: alert.version, dueAt }] : []);
  });

  test('neither waits nor sets a wake where nothing says how early it may be', async () => {
    const { world, alertId, pauses } = await waiting();
    world.pass(299.999);
    expect(await handleDue(world, 'alerts', alertId)).toBe(false);
    expect([pauses, world.wakes]).toEqual([[], []]);
  });

  test('sets the wake of a record without a version in its first one', async () => {
    const { world } = await waiting();
    const data = { noticeId: 'n', team: 'operations', kind: 'k', text: 't', at: startOfTests, dueAt, expireAt: dueAt };
    await world.store.commit([{ kind: 'create', in: 'notices', id: 'n', data }]);
    expect(await handleDue(world, 'notices', 'n', 1000)).toBe(false);
    expect(world.wakes).toEqual([{ in: 'notices', id: 'n', version: 1, dueAt }]);
  });
});

test('a record that has no due time, and one that is gone, need nothing', async () => {
  const { world, pauses } = await waiting();
  const data = {
    noticeId: 'n',
    team: 'operations',
    kind: 'k',
    text: 't',
    at: startOfTests,
    dueAt: null,
    expireAt: dueAt,
  };
  await world.store.commit([{ kind: 'create', in: 'notices', id: 'n', data }]);
  expect(await handleDue(world, 'notices', 'n', 1000)).toBe(false);
  expect(await handleDue(world, 'notices', 'gone', 1000)).toBe(false);
  expect([pauses, world.wakes]).toEqual([[], []]);
});

describe('a wake that the platform repeats', () => {
  test.each([
    ['an alert', 'alerts', true, 1],
    ['an alert, called for the first time', 'alerts', false, 0],
    ['a notice', 'notices', true, 0],
    ['a camera', 'devices', true, 1],
  ] as const)('of %s sets the wakes of its camera again: %#', async (_, kind, isRepeat, count) => {
    const { world, alertId } = await waiting();
    const { deliveryId } = await storeDelivery(world.store, 'e-1');
    await handleWake(world, kind, kind === 'devices' ? 'cam-1' : alertId, isRepeat);
    const woken = world.wakes.filter(({ id }) => id === deliveryId);
    expect(woken).toHaveLength(count);
  });

  test('of an alert that is gone sets nothing', async () => {
    const { world } = await waiting();
    await storeDelivery(world.store, 'e-1');
    await handleWake(world, 'alerts', 'gone', true);
    expect(world.wakes).toEqual([]);
  });
});

describe('kinds of wakes', () => {
  test.each([
    ['fleetCounters', true, false],
    ['shards', true, false],
    ['alerts', true, true],
    ['deliveries', false, false],
    ['toString', false, false],
    [7, false, false],
    [undefined, false, false],
  ])('%s is one: %s, and its record can be due: %s', (kind, isWake, isDue) => {
    expect([isWakeKind(kind), isDueKind(kind)]).toEqual([isWake, isDue]);
  });

  test('a sweep handles so many records of each itself', () => {
    const limits = Object.entries(dueTable).map(([kind, { sweepLimit, grace }]) => [kind, sweepLimit, grace]);
    expect(limits).toEqual([
      ['devices', 2000, 'wakeGrace'],
      ['alerts', 10_000, 'alertGrace'],
      ['incidents', 400, 'alertGrace'],
      ['targets', 400, 'wakeGrace'],
      ['memberActions', 400, 'wakeGrace'],
      ['jobs', 20, 'wakeGrace'],
      ['guardianAlerts', 400, 'wakeGrace'],
      ['notices', 400, 'wakeGrace'],
      ['windows', 100, 'wakeGrace'],
      ['drills', 1, 'wakeGrace'],
      ['sequenceCheckpoints', 400, 'wakeGrace'],
      ['reportSchedules', 10, 'wakeGrace'],
      ['fanOuts', 400, 'wakeGrace'],
    ]);
  });
});
