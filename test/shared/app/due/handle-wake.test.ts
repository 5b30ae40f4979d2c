import { expect, test } from 'vitest';
import { handleWake } from '../../../../shared/app/due/handle-wake.ts';
import type { Wake } from '../../../../shared/app/ports.ts';
import { alertOf, giveTeam, openTestAlert } from '../../../support/records/alerts.ts';
import { answerWakes, behind, hangs, livingFleet } from '../../../support/world/living-fleet.ts';
import { notifiedOf } from '../../../support/world/places.ts';
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

test('when the sweep has stopped, the wakes of a loss run it, so that each loss is told all the same', async () => {
  const cameras = behind('a', '1', 5);
  const { world, ways } = await livingFleet(cameras, hangs);
  const asked: Wake[] = [];
  const { waker } = world;
  world.waker = {
    async wake(wakes) {
      asked.push(...wakes.filter((wake) => wake.in === 'sweeps'));
      await waker.wake(wakes);
    },
  };
  world.pass(1);
  for (const camera of cameras.slice(0, 4)) await ways.lose(camera);
  let swept = 0;
  for (let seconds = 0; seconds < 30 * 60; seconds += 10) {
    world.pass(10);
    await answerWakes(world);
    for (const wake of asked.splice(0)) {
      if (wake.dueAt > world.now() || wake.in !== 'sweeps') {
        asked.push(wake);
        continue;
      }
      await handleWake(world, wake.in, wake.id, false, async () => {
        swept += 1;
        await ways.sweep();
      });
    }
  }
  expect(notifiedOf(world)[0]).toBe('[CRITICAL] Outage at a');
  expect(swept).toBeLessThan(6);
});

test('while the sweep runs, such a wake does nothing', async () => {
  const { world } = await livingFleet(behind('a', '1', 2), hangs);
  await handleWake(world, 'sweeps', '1', false, () => Promise.reject(new Error('swept twice')));
});
