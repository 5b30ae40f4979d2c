import { expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import type { Store } from '../../shared/app/ports.ts';
import { takeMessage } from '../../shared/app/take-message.ts';
import type { Message } from '../../shared/domain/message.ts';
import { plus } from '../../shared/domain/time.ts';
import { createFaultyStore, type Fault, storeErrors } from '../support/faulty-store.ts';
import { frames } from '../support/frames.ts';
import { createRandom } from '../support/random.ts';
import { message } from '../support/reports.ts';
import { createTestWorld, startOfTests } from '../support/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const values = [93, 84, 70, 95, 91, 60];

/** One camera whose memory rises and falls while its disk fills, a minute between reports, each with its sequence number. */
function story(deviceId: string): Message[] {
  return values.map((usedPercent, seq) => {
    const publishTime = plus(startOfTests, seq * 60_000);
    const body = {
      bootId: 'b',
      seq,
      timestamp: publishTime,
      memory: { usedPercent },
      storage: { freeMegabytes: seq % 2 ? 50 : 500 },
    };
    return message('status', body, { deviceId, publishTime });
  });
}

/** What an operator would see: every alert's code, state and count, and how many audit entries each has. */
async function outcome(store: Store): Promise<unknown> {
  const alerts = await store.find({ in: 'alerts', orderBy: [['timestamp', 'asc']], limit: 1000 });
  const audit = await store.find({ in: 'audit', limit: 10_000 });
  return alerts.map(({ id, data }) => [
    data.deviceId,
    data.code,
    data.status,
    data.occurrences,
    data.version,
    audit.filter((entry) => entry.data.alertId === id).length,
  ]);
}

async function cleanOutcome(messages: Message[]): Promise<unknown> {
  const world = createTestWorld();
  for (const each of messages) await takeMessage(world, each, intake);
  return outcome(world.store);
}

/** Delivers as Pub/Sub does: again and again until it is taken. */
async function deliverAll(store: Store, messages: Message[]): Promise<void> {
  const world = createTestWorld(store);
  for (const each of messages) {
    for (let tries = 0; ; tries += 1) {
      if (tries > 20) throw new Error('never taken');
      try {
        await takeMessage(world, each, intake);
        break;
      } catch {}
    }
  }
}

test('stopped at any call of the store, before or after it took effect, a second run converges', async () => {
  const messages = story('cam-1');
  const wanted = await cleanOutcome(messages);
  const counter = createFaultyStore(createMemoryStore(), () => null);
  await deliverAll(counter, messages);
  expect(counter.calls()).toBeGreaterThan(values.length);
  for (const when of ['before', 'after'] as const) {
    for (const [name, error] of Object.entries(storeErrors)) {
      for (let at = 1; at <= counter.calls(); at += 1) {
        const inner = createMemoryStore();
        await deliverAll(
          createFaultyStore(inner, (call): Fault => (call === at ? { when, error } : null)),
          messages,
        );
        expect([when, name, at, await outcome(inner)]).toEqual([when, name, at, wanted]);
      }
    }
  }
});

test('duplicates and faults at random over many devices end as a clean, ordered run', async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = createRandom(seed);
    const stories = Array.from({ length: 10 }, (_, index) => story(`cam-${index}`));
    const ordered = values.flatMap((_, step) => stories.flatMap((each) => each[step] ?? []));
    const doubled = ordered.flatMap((each) =>
      Array.from({ length: random.chance(0.3) ? 1 + random.below(5) : 1 }, () => each),
    );
    const inner = createMemoryStore();
    const errors = Object.values(storeErrors);
    const faulty = createFaultyStore(inner, () =>
      random.chance(0.05) ? { when: random.pick(['before', 'after'] as const), error: random.pick(errors) } : null,
    );
    await deliverAll(faulty, doubled);
    expect([seed, await outcome(inner)]).toEqual([seed, await cleanOutcome(ordered)]);
  }
});

test('a fault of the store is thrown, so that the platform tries again, and never taken for handled', async () => {
  const store = createFaultyStore(createMemoryStore(), () => ({ when: 'before', error: storeErrors.UNAVAILABLE }));
  await expect(takeMessage(createTestWorld(store), message('status', {}), intake)).rejects.toThrow('UNAVAILABLE');
  await expect(takeMessage(createTestWorld(store), message('nonsense', {}), intake)).rejects.toThrow('UNAVAILABLE');
});
