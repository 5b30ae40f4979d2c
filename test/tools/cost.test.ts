import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { createDispatcher } from '../../shared/app/deliveries/deliver.ts';
import { beginDrill } from '../../shared/app/drill/begin-drill.ts';
import { beatHearts } from '../../shared/app/drill/heartbeats.ts';
import { sweep } from '../../shared/app/due/sweep.ts';
import { summarizeFleet } from '../../shared/app/fleet/summaries.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { refreshNow } from '../../shared/app/now/refresh.ts';
import type { Webhook } from '../../shared/domain/delivery/webhook.ts';
import { plus } from '../../shared/domain/time.ts';
import type { Amounts } from '../../tools/cost/amounts.ts';
import { type Operations, operations } from '../../tools/cost/operations.ts';
import { dollarsOf } from '../../tools/cost/parts.ts';
import { createStage } from '../support/drill/stage.ts';
import { giveWebhook } from '../support/records/deliveries.ts';
import { message } from '../support/records/reports.ts';
import { countingStore, type Spent } from '../support/stores/counting-store.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const at = (seconds: number) => ({ publishTime: plus(startOfTests, seconds * 1000) });
const endpoint: Webhook = {
  webhookId: '0c6fd2b1-6a3e-4b5f-9d3e-2f5a9d1c7b10',
  url: 'https://receiver.test/',
  method: 'POST',
  sealedHeaders: null,
  secret: null,
  nextSecret: null,
  events: ['detection'],
  membersOfIncidents: true,
  format: 'native',
  filter: null,
  maxAttempts: 3,
  timeoutSeconds: 10,
  isEnabled: true,
  disabledReason: null,
  isMadeByLimited: false,
  challenge: null,
  description: null,
  createdAt: startOfTests,
  changedAt: startOfTests,
  version: 1,
};

/** A world that counts what the platform would bill. */
function countedWorld(): TestWorld & { spent: Spent; reset(): void } {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  return Object.assign(world, {
    spent,
    reset,
    waker: {
      async wake(wakes: Parameters<TestWorld['waker']['wake']>[0]) {
        spent.tasks += wakes.length;
        world.wakes.push(...wakes);
      },
    },
  });
}

describe('the measured operations of each unit of work are within the table of prices', () => {
  test('an unchanged report', async () => {
    const world = countedWorld();
    const send = async (minute: number) => {
      const now = world.pass(60);
      await takeMessage(world, message('status', { memory: { usedPercent: 50 } }, { publishTime: now }), intake);
      return minute;
    };
    for (let minute = 0; minute < 5; minute += 1) await send(minute);
    world.reset();
    const reports = 600;
    for (let minute = 0; minute < reports; minute += 1) await send(minute);
    // A process reads the settings each ten minutes, whatever the number of its reports.
    const ofSettings = reports / 10;
    expect((world.spent.reads - ofSettings) / reports).toBeLessThanOrEqual(operations.unchangedReport.reads);
    expect(world.spent.writes / reports).toBeLessThanOrEqual(operations.unchangedReport.writes);
    expect(world.spent.deletes).toBe(0);
  });

  test('an alert from its beginning to its end', async () => {
    const world = countedWorld();
    await takeMessage(world, message('status', { memory: { usedPercent: 50 } }, at(0)), intake);
    world.reset();
    await takeMessage(world, message('status', { memory: { usedPercent: 95 } }, at(60)), intake);
    await takeMessage(world, message('status', { memory: { usedPercent: 50 } }, at(120)), intake);
    expectWithin(world.spent, operations.alert);
  });

  test('a detection for one endpoint, and its delivery', async () => {
    const world = countedWorld();
    await takeMessage(world, message('status', {}, at(0)), intake);
    const { webhookId: id } = endpoint;
    await world.store.commit([
      { kind: 'create', in: 'webhooks', id, data: endpoint },
      { kind: 'create', in: 'revisions', id: 'configuration', data: { count: 1 } },
    ]);
    await takeMessage(world, message('detection', detection('warm-up'), at(30)), intake);
    world.reset();
    world.wakes.length = 0;
    await takeMessage(world, message('detection', detection('counted'), at(60)), intake);
    expectWithin(world.spent, operations.detection);

    world.reset();
    const taken = {
      statusCode: 200,
      errorClass: null,
      detail: null,
      responseExcerpt: null,
      isRetryable: false,
      retryAfterMs: null,
      isGone: false,
    };
    const dispatcher = createDispatcher(world, { webhook: { send: async () => taken } }, () => 0);
    const pending = world.wakes.filter((wake) => wake.in === 'deliveries');
    expect(pending).toHaveLength(1);
    for (const { id, webhookId } of pending) expect(await dispatcher.attempt(id, webhookId)).toBe('delivered');
    expectWithin(world.spent, operations.delivery);
  });

  test('the numbers of the fleet after a change', async () => {
    const world = countedWorld();
    const say = (deviceId: string, seconds: number, usedPercent: number) => {
      const given = { deviceId, ...at(seconds) };
      return takeMessage(world, message('status', { memory: { usedPercent } }, given), intake);
    };
    for (let index = 0; index < 30; index += 1) await say(`cam-${index}`, index, 95);
    await sweep(world);
    await say('cam-1', 100, 20);
    world.reset();
    await summarizeFleet(world);
    await refreshNow(world);
    expectWithin(world.spent, operations.summary);
  });

  test('a round of the standing drill, and a beat', async () => {
    const { store, spent, reset } = countingStore(createMemoryStore());
    const stage = createStage(1, store);
    await giveWebhook(stage.world, { events: ['alert'], drill: true });
    for (let passed = 0; passed < 70; passed += 1) await stage.minute();
    stage.world.wakes.length = 0;
    // Without sweeps, so that only the drill and the heartbeat are counted.
    stage.broken.add('sweep');
    reset();
    await beginDrill(stage.world, stage.canaries, true);
    spent.tasks += stage.world.wakes.length;
    for (let passed = 0; passed < 7; passed += 1) await stage.minute();
    expect(
      await stage.store.count({ in: 'deliveries', where: [{ field: 'status', is: '==', value: 'pending' }] }),
    ).toBe(0);
    expectWithin(spent, operations.drill);

    reset();
    await beatHearts(stage.world, 1);
    spent.tasks += stage.world.wakes.length;
    await stage.minute();
    expectWithin(spent, operations.heartbeat);
  });

  test('a sweep that finds nothing', async () => {
    const world = countedWorld();
    await sweep(world);
    expectWithin(world.spent, operations.sweep);
  });
});

describe('the price', () => {
  test('of 1,000 cameras is in the README as `npm run cost` prints it', () => {
    const printed = execFileSync(process.execPath, ['tools/cost.ts'], { encoding: 'utf8' });
    const dollars = Math.round(Number(/^Dollars a month +([\d.]+)$/m.exec(printed)?.[1]));
    expect(printed).toMatch(/^production: 1000 cameras/);
    expect(readFileSync('README.md', 'utf8')).toContain(
      `1,000 cameras that report once a minute cost about $${dollars} a month`,
    );
  });

  const amounts: Amounts = {
    devices: 1000,
    detections: 50_000,
    alerts: 10_000,
    endpoints: 1,
    tabs: 2,
    framesKib: 0,
    heartbeats: 1,
    environment: 'production',
  };
  const total = (given: Partial<Amounts>) =>
    dollarsOf({ ...amounts, ...given }).reduce((sum, { dollars }) => sum + dollars, 0);

  test('grows with the fleet and with its detections', () => {
    expect(total({ devices: 2000 })).toBeGreaterThan(total({}));
    expect(total({ detections: 100_000 })).toBeGreaterThan(total({}));
  });

  test('of a million unchanged reports of a large fleet stays within a dollar and a half', () => {
    const millions = (60 * 24 * 30 * 10_000) / 1e6;
    const ofReports = total({ devices: 10_000, alerts: 0 }) - total({ devices: 0, alerts: 0 });
    expect(ofReports / millions).toBeLessThan(1.5);
  });

  test('of 20,000 cameras with ten open tabs stays within seven cents a camera', () => {
    expect(total({ devices: 20_000, alerts: 200_000, tabs: 10 }) / 20_000).toBeLessThanOrEqual(0.07);
  });

  test('is lower where our bridge packs the reports of a large fleet, and the same where too few come to be packed', () => {
    const large = { devices: 20_000, alerts: 200_000 };
    expect(total({ ...large, isPacked: true })).toBeLessThan(0.85 * total(large));
    expect(total({ isPacked: true })).toBe(total({}));
  });

  test('includes heartbeats and the standing drill, even without cameras', () => {
    expect(total({ heartbeats: 3 })).toBeGreaterThan(total({ heartbeats: 1 }));
    const quiet = { ...amounts, devices: 0, detections: 0, alerts: 0, tabs: 0, endpoints: 0 };
    const tasks = dollarsOf(quiet).find(({ part }) => part === 'Cloud Tasks');
    // A heartbeat a minute, and six tasks for each hourly drill.
    expect(tasks?.amount).toBe('47,520 tasks');
  });

  test('grows with open tabs and frames, and includes backups only in production', () => {
    expect(total({ tabs: 20 })).toBeGreaterThan(total({}));
    expect(total({ framesKib: 200 })).toBeGreaterThan(total({}));
    const parts = dollarsOf(amounts).map(({ part }) => part);
    for (const part of ['Firestore: point-in-time recovery', 'Firestore: backups', 'Pub/Sub: kept in the topic'])
      expect(parts).toContain(part);
    expect(dollarsOf({ ...amounts, environment: 'dev' }).map(({ part }) => part)).not.toContain('Firestore: backups');
  });

  test('has a name and no negative amount for each part', () => {
    for (const { part, dollars } of dollarsOf(amounts)) {
      expect(part).not.toBe('');
      expect(dollars, part).toBeGreaterThanOrEqual(0);
    }
  });
});

/** A price may assume more operations than a unit of work needs, up to twice as many reads and writes, but never fewer. */
function expectWithin(spent: Operations, priced: Operations): void {
  for (const kind of ['reads', 'writes', 'deletes', 'tasks'] as const) {
    expect(spent[kind], kind).toBeLessThanOrEqual(priced[kind]);
  }
  expect(2 * (spent.reads + spent.writes)).toBeGreaterThanOrEqual(priced.reads + priced.writes);
}

function detection(sessionId: string): object {
  return {
    timestamp: startOfTests,
    device: { id: 'cam-1' },
    profile: { id: 'p-1', name: 'Gate' },
    skill: { id: 's-1', name: 'People' },
    session: { id: sessionId, url: 'https://sessions.test/1' },
    analysis: { objects: [], questions: [], summary: 'Nobody' },
    imageUrl: 'https://frames.test/1.jpg',
  };
}
