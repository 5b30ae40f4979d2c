import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { decideAndCommit, wakeAll } from '../../../../shared/app/commit/commit.ts';
import { Conflict, type Store, type Wake, type Write } from '../../../../shared/app/ports.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { createFaultyStore } from '../../../support/stores/faulty-store.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const aWebhook = (given: object = {}): Write => {
  const data = endpoint(given);
  return { kind: 'create', in: 'webhooks', id: data.webhookId, data };
};
const wake: Wake = { in: 'devices', id: 'cam-1', version: 1, dueAt: startOfTests };

/** A world whose store fails the first `conflicts` commits. Its pauses are recorded and take no time. */
function worldWith(conflicts: number, { after = false, error = () => new Conflict('ABORTED') as Error } = {}) {
  let left = conflicts;
  const memory = createMemoryStore();
  const store: Store = createFaultyStore(memory, (_call, name) => {
    if (name !== 'commit' || left === 0) return null;
    left -= 1;
    return { when: after ? 'after' : 'before', error };
  });
  const pauses: number[] = [];
  const world: TestWorld = {
    ...createTestWorld(store),
    random: () => 1,
    after(ms, call) {
      pauses.push(ms);
      setImmediate(call);
      return { stop() {} };
    },
  };
  return { world, memory, pauses };
}

const created = async ({ store }: Pick<TestWorld, 'store'>) => (await store.find({ in: 'webhooks', limit: 9 })).length;

describe('a decision whose commit conflicts with another writer', () => {
  test('is repeated with the new state, after delays that grow to 200 ms', async () => {
    const { world, memory, pauses } = worldWith(11);
    let made = 0;
    const answer = await decideAndCommit(world, async () => {
      made += 1;
      return { writes: [aWebhook()], wakes: [wake], answer: made };
    });
    expect([answer, made, await created({ store: memory })]).toEqual([12, 12, 1]);
    expect(pauses).toEqual([10, 20, 40, 80, 160, 200, 200, 200, 200, 200, 200]);
    expect(world.wakes).toEqual([wake]);
  });

  test('fails after twelve attempts', async () => {
    const { world, pauses } = worldWith(12);
    const given = decideAndCommit(world, async () => ({ writes: [aWebhook()], wakes: [wake], answer: 1 }));
    await expect(given).rejects.toMatchObject({ code: 'unavailable' });
    expect([pauses.length, world.wakes]).toEqual([12, []]);
  });

  test('waits for a random time, which may be zero', async () => {
    const { world, pauses } = worldWith(2);
    await decideAndCommit({ ...world, random: () => 0.25 }, async () => ({
      writes: [aWebhook()],
      wakes: [],
      answer: 1,
    }));
    expect(pauses).toEqual([2.5, 5]);
  });
});

test('another error of the store is not retried', async () => {
  const { world, pauses } = worldWith(1, { error: () => new Error('UNAVAILABLE') });
  const given = decideAndCommit(world, async () => ({ writes: [aWebhook()], wakes: [wake], answer: 1 }));
  await expect(given).rejects.toThrow('UNAVAILABLE');
  expect([pauses, world.wakes]).toEqual([[], []]);
});

test('a decision that writes nothing still sets its wakes', async () => {
  const { world } = worldWith(0);
  expect(await decideAndCommit(world, async () => ({ writes: [], wakes: [wake], answer: 'as it is' }))).toBe(
    'as it is',
  );
  expect(world.wakes).toEqual([wake]);
});

describe('a conflict that our own commit caused, because its answer was lost, is recognized', () => {
  const decidedOnce = async (writesIn: (store: Store) => Promise<Write[]> | Write[], stored: Write[] = []) => {
    const { world, memory, pauses } = worldWith(1, { after: true });
    if (stored.length > 0) await memory.commit(stored);
    const writes = await writesIn(memory);
    let made = 0;
    const answer = await decideAndCommit(world, async () => {
      made += 1;
      return made > 1 ? { writes: [], wakes: [], answer: made } : { writes, wakes: [wake], answer: made };
    });
    return { answer, pauses, wakes: world.wakes };
  };
  const first = { answer: 1, pauses: [], wakes: [wake] };
  const again = { answer: 2, pauses: [10], wakes: [] };

  test('by a record that it created', async () => {
    expect(await decidedOnce(() => [aWebhook()])).toEqual(first);
  });

  test('by the device that it wrote, even among other writes', async () => {
    const data = { ...newDevice('cam-1', startOfTests), version: 3 };
    expect(await decidedOnce(() => [aWebhook(), { kind: 'create', in: 'devices', id: 'cam-1', data }])).toEqual(first);
  });

  test('by the members that it set', async () => {
    const patch: Write = { kind: 'patch', in: 'webhooks', id: endpoint().webhookId, set: { isEnabled: false } };
    expect(await decidedOnce(() => [patch], [aWebhook()])).toEqual(first);
  });

  test('but not by a deletion alone, so the decision is repeated', async () => {
    const id = endpoint().webhookId;
    const deletion = async (store: Store): Promise<Write[]> =>
      (await store.get('webhooks', [id])).flatMap((found) =>
        found ? [{ kind: 'delete', in: 'webhooks', id, revision: found.revision }] : [],
      );
    expect(await decidedOnce(deletion, [aWebhook()])).toEqual(again);
  });
});

test('a record of another writer is not recognized as ours', async () => {
  const { world, memory, pauses } = worldWith(1);
  await memory.commit([aWebhook({ description: 'of somebody else' })]);
  let made = 0;
  const answer = await decideAndCommit(world, async () => {
    made += 1;
    return { writes: made === 1 ? [aWebhook({ description: 'ours' })] : [], wakes: [], answer: made };
  });
  expect([answer, pauses]).toEqual([2, [10]]);
});

test('a wake that cannot be set is logged, and the call does not fail', async () => {
  const { world } = worldWith(0);
  const failing = {
    ...world,
    waker: {
      wake() {
        return Promise.reject(new Error('quota'));
      },
    },
  };
  await wakeAll(failing, [wake]);
  await wakeAll(failing, []);
  expect(world.lines).toEqual([{ event: 'wake.failed', fields: { records: ['cam-1'], error: 'Error: quota' } }]);
});
