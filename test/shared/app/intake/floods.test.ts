import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { explainAlert } from '../../../../shared/app/alerts/explain.ts';
import { ana, giveTeam } from '../../../support/records/alerts.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

/** A camera that tells ten times a second, for minutes, of attempts by hosts that are never the same. */
async function flooded(minutes: number, perMinute = 600) {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  // A process flushes its counts by timers: here the test does.
  const timers: (() => void)[] = [];
  world.after = (_ms, call) => {
    timers.push(call);
    return { stop: () => {} };
  };
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const line = createTimeline(world);
  await line.says(0, 'status', { memory: { usedPercent: 40 } });
  reset();
  const attempt = (n: number) => ({
    ...{ type: 'unauthorized_broker_attempt', timestamp: at(0), attemptedHost: `host-${n}.example` },
  });
  const count = minutes * perMinute;
  for (let n = 0; n < count; n += 1) {
    await line.says(minute + (n * minute) / perMinute, 'event', attempt(n));
    if (n === count / 2) await line.acts('SEC_002', { kind: 'acknowledge', comment: 'on my way' });
  }
  const flush = async () => {
    for (const call of timers.splice(0)) call();
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  return { ...line, count, spent, flush, attempt };
}

test('a flood of attempts leaves a trail in which its opening, its steps and its notifications can be found', async () => {
  const { alerts, trail, world, count, flush, activity, spent } = await flooded(10);
  world.pass(minute);
  await flush();
  const [alert] = await alerts();
  const entries = await trail('SEC_002');
  // Ten lines at once, one for each further minute, the opening, one for each of the first hosts, and a person's step.
  expect(entries.length).toBeLessThan(60);
  const { notified } = await explainAlert(world, ana, alert?.alertId ?? '');
  expect(notified[0]).toMatchObject({ because: 'open', channel: 'email' });
  expect(notified.map(({ because }) => because)).toContain('escalate');
  expect(entries.map(({ action }) => action)).toContain('acknowledge');
  // What is not kept is counted.
  expect(alert?.occurrences).toBe(count);
  const told = (await activity('more-not-kept')).map(({ summary }) => Number(/^(\d+) more/.exec(summary)?.[1] ?? 0));
  const kept = (await activity('event')).length;
  expect(told.reduce((sum, more) => sum + more, kept)).toBe(count);
  expect(spent.reads / count).toBeLessThan(1.2);
  expect(spent.writes / count).toBeLessThan(0.1);
});

test('the steps of a trail that a flood has made long are explained, and the newest entries beside them', async () => {
  const { alerts, world, says, acts, attempt, until } = await flooded(1, 20);
  await acts('SEC_002', { kind: 'acknowledge', comment: 'on my way' });
  // A day later: one attempt a minute, each of which is a line of the trail.
  for (let n = 0; n < 450; n += 1) await says(hour + n * minute, 'event', attempt(n % 20));
  await until(9 * hour);
  const [alert] = await alerts();
  expect(alert?.version).toBeGreaterThan(450);
  const { notified } = await explainAlert(world, ana, alert?.alertId ?? '');
  expect(notified[0]?.because).toBe('open');
  const reads = countingStore(world.store);
  await explainAlert({ ...world, store: reads.store }, ana, alert?.alertId ?? '');
  expect(reads.spent.reads).toBeLessThan(450);
});

test('the last text of a flood is kept, whoever sends none after it, and a fact beside it is decided at once', async () => {
  const { says, device, world, flush, alerts, activity } = await flooded(1, 1);
  for (let n = 0; n < 80; n += 1) await says(10 * minute + n / 20, 'status', { name: `Gate ${n}` });
  expect((await device())?.name).toBe('Gate 39');
  await says(10 * minute + 6, 'status', { name: 'Gate 80', memory: { usedPercent: 95 } });
  expect((await alerts()).map(({ code }) => code)).toContain('RES_001');
  expect((await device())?.name).toBe('Gate 80');
  for (let n = 90; n < 100; n += 1) await says(10 * minute + 6 + n / 100, 'status', { name: `Gate ${n}` });
  world.pass(minute);
  await flush();
  expect((await device())?.name).toBe('Gate 99');
  expect((await activity('more-not-kept')).map(({ detail }) => detail['more'])).toEqual(
    expect.arrayContaining([40, 9]),
  );
});

test('a flood of one sort uses up no budget of another', async () => {
  const { says, device, activity } = await flooded(1);
  await says(2 * minute, 'event', { type: 'restarted', timestamp: at(120) });
  await says(2 * minute, 'status', { name: 'Gate' });
  expect((await device())?.name).toBe('Gate');
  expect((await activity('event')).map(({ summary }) => summary)).toContain('Event restarted');
});
