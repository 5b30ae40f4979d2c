import { expect, test } from 'vitest';
import { handleWake } from '../../../../shared/app/due/handle-wake.ts';
import { alertOf, giveTeam, openTestAlert } from '../../../support/records/alerts.ts';
import { afterPause, createTestWorld, type TestWorld } from '../../../support/world/world.ts';

/** A world in which each pause advances the clock, with an alert that escalates in 300 s. */
async function waiting(): Promise<{ world: TestWorld; alertId: string; pauses: number[] }> {
  const plain = createTestWorld();
  await giveTeam(plain, 'operations', { emails: ['ops@example.com'] });
  const alertId = await openTestAlert(plain);
  plain.wakes.splice(0);
  const pauses: number[] = [];
  const after = afterPause(async (ms) => {
    pauses.push(ms);
    plain.pass(ms / 1000);
  });
  return { world: { ...plain, after }, alertId, pauses };
}

test('a wake that is up to a second early by a difference of clocks waits, and does what is due', async () => {
  const { world, alertId, pauses } = await waiting();
  world.pass(299.1);
  await handleWake(world, 'alerts', alertId, false);
  expect(pauses).toEqual([900]);
  expect(await alertOf(world, alertId)).toMatchObject({ status: 'escalated', escalatedAt: '2026-11-20T10:05:00.000Z' });
});

test('a wake that is earlier does not wait: it sets itself again for the time that the record says', async () => {
  const { world, alertId, pauses } = await waiting();
  world.pass(298.9);
  await handleWake(world, 'alerts', alertId, false);
  expect(pauses).toEqual([]);
  const { status, version } = await alertOf(world, alertId);
  expect(status).toBe('active');
  expect(world.wakes).toEqual([{ in: 'alerts', id: alertId, version, dueAt: '2026-11-20T10:05:00.000Z' }]);
});
