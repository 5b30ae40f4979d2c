import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { decideAndCommit } from '../../../../shared/app/commit/commit.ts';
import { Conflict, type Store, type Trail, type Wake, type Write } from '../../../../shared/app/ports.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const wake: Wake = { in: 'devices', id: 'cam-1', version: 1, dueAt: startOfTests };
const device = { ...newDevice('cam-1', startOfTests), version: 3 };
const deviceWrite: Write = { kind: 'create', in: 'devices', id: 'cam-1', data: device };
const webhook = endpoint();
const webhookWrite: Write = { kind: 'create', in: 'webhooks', id: webhook.webhookId, data: webhook };

/** A write that replaces the stored revision of a record, as another writer would. */
async function overwrite(store: Store, kind: 'devices' | 'webhooks', id: string, set: object): Promise<Write> {
  const [found = null] = await store.get(kind, [id]);
  if (!found) throw new Error(`there is no ${id}`);
  return { kind: 'replace', in: kind, id, data: { ...found.data, ...set }, revision: found.revision } as Write;
}

/**
 * How often a decision is made if its first commit takes effect but the answer is lost.
 * @param meanwhile what another writer does before the store is read again
 */
async function decisions(
  writesIn: (store: Store) => Promise<Write[]> | Write[],
  { stored = [], meanwhile }: { stored?: Write[]; meanwhile?: (store: Store) => Promise<unknown> } = {},
): Promise<number> {
  const memory = createMemoryStore();
  if (stored.length > 0) await memory.commit(stored);
  const writes = await writesIn(memory);
  let isFirst = true;
  const store: Store = {
    ...memory,
    async commit(given) {
      const written = await memory.commit(given);
      if (!isFirst) return written;
      isFirst = false;
      await meanwhile?.(memory);
      throw new Conflict('ABORTED');
    },
  };
  const world: TestWorld = {
    ...createTestWorld(store),
    after(_ms, call) {
      setImmediate(call);
      return { stop() {} };
    },
  };
  let made = 0;
  await decideAndCommit(world, async () => {
    made += 1;
    return made > 1 ? { writes: [], wakes: [], answer: null } : { writes, wakes: [wake], answer: null };
  });
  return made;
}

describe('whether a commit with a lost answer was ours is shown', () => {
  const change = (kind: 'devices' | 'webhooks', id: string) => async (store: Store) =>
    store.commit([await overwrite(store, kind, id, { version: 9 })]);

  test('by the device alone, even if another writer has changed an endpoint since', async () => {
    const meanwhile = change('webhooks', webhook.webhookId);
    expect(await decisions(() => [deviceWrite, webhookWrite], { meanwhile })).toBe(1);
  });

  test('not by an endpoint, if the device was written since', async () => {
    const meanwhile = change('devices', 'cam-1');
    expect(await decisions(() => [deviceWrite, webhookWrite], { meanwhile })).toBe(2);
  });

  test('by a created record, if the device was deleted', async () => {
    const writesIn = async (store: Store): Promise<Write[]> => {
      const [found = null] = await store.get('devices', ['cam-1']);
      if (!found) throw new Error('there is no device');
      return [webhookWrite, { kind: 'delete', in: 'devices', id: 'cam-1', revision: found.revision }];
    };
    expect(await decisions(writesIn, { stored: [deviceWrite] })).toBe(1);
  });

  test('by a created record, if a replaced record has changed since', async () => {
    const other = endpoint({ webhookId: '22222222-2222-4222-8222-222222222222' });
    const writesIn = async (store: Store) => [
      webhookWrite,
      await overwrite(store, 'webhooks', other.webhookId, { version: 2 }),
    ];
    const stored: Write[] = [{ kind: 'create', in: 'webhooks', id: other.webhookId, data: other }];
    expect(await decisions(writesIn, { stored, meanwhile: change('webhooks', other.webhookId) })).toBe(1);
    expect(await decisions(writesIn, { stored, meanwhile: change('webhooks', webhook.webhookId) })).toBe(2);
  });

  test.each([
    [{ version: 2 }, 2],
    [{ description: 'of somebody else' }, 2],
    [{}, 1],
  ])('by a record that was replaced, unless another writer set %o: decided %i times', async (set, expected) => {
    const writesIn = async (store: Store) => [
      await overwrite(store, 'webhooks', webhook.webhookId, { maxAttempts: 9 }),
    ];
    const meanwhile = async (store: Store) =>
      store.commit([await overwrite(store, 'webhooks', webhook.webhookId, set)]);
    expect(await decisions(writesIn, { stored: [webhookWrite], meanwhile })).toBe(expected);
  });

  test.each([
    [{ description: 'of somebody else' }, 1],
    [{ isEnabled: true }, 2],
  ])('by the members that were set, where another writer set %o: decided %i times', async (set, expected) => {
    const patch: Write = { kind: 'patch', in: 'webhooks', id: webhook.webhookId, set: { isEnabled: false } };
    const meanwhile = async (store: Store) =>
      store.commit([await overwrite(store, 'webhooks', webhook.webhookId, set)]);
    expect(await decisions(() => [patch], { stored: [webhookWrite], meanwhile })).toBe(expected);
  });

  test('not by a record that no longer exists', async () => {
    const patch: Write = { kind: 'patch', in: 'webhooks', id: webhook.webhookId, set: { isEnabled: false } };
    const meanwhile = async (store: Store) => {
      const [found = null] = await store.get('webhooks', [webhook.webhookId]);
      if (found) await store.commit([{ kind: 'delete', in: 'webhooks', id: found.id, revision: found.revision }]);
    };
    expect(await decisions(() => [patch], { stored: [webhookWrite], meanwhile })).toBe(2);
    expect(await decisions(() => [webhookWrite], { meanwhile })).toBe(2);
  });
});

describe('the trail of a call', () => {
  const trailed = (hasEntry: boolean) => {
    const calls: unknown[] = [];
    const trail: Trail = {
      async beside(writes) {
        calls.push(['beside', writes.length]);
        return hasEntry ? { writes: [deviceWrite], wakes: [wake], hasEntry } : { writes: [], wakes: [], hasEntry };
      },
      committed: (has) => void calls.push(['committed', has]),
      missed() {},
    };
    const plain = createTestWorld();
    return { world: { ...plain, trail }, calls };
  };

  test.each([true, false])(
    'is called for each commit with writes, with whether it has an entry: %s',
    async (hasEntry) => {
      const { world, calls } = trailed(hasEntry);
      await decideAndCommit(world, async () => ({ writes: [webhookWrite], wakes: [], answer: null }));
      expect(calls).toEqual([
        ['beside', 1],
        ['committed', hasEntry],
      ]);
      expect(world.wakes).toEqual(hasEntry ? [wake] : []);
      expect((await world.store.find({ in: 'devices', limit: 9 })).length).toBe(hasEntry ? 1 : 0);
    },
  );

  test('is not called for a decision without writes', async () => {
    const { world, calls } = trailed(true);
    await decideAndCommit(world, async () => ({ writes: [], wakes: [], answer: null }));
    expect([calls, world.wakes]).toEqual([[], []]);
  });
});

test('a decision without writes makes no commit', async () => {
  const { commit: _, ...memory } = createMemoryStore();
  const commit = async () => {
    throw new Error('there is nothing to commit');
  };
  const world = createTestWorld({ ...memory, commit });
  expect(await decideAndCommit(world, async () => ({ writes: [], wakes: [wake], answer: 'as it is' }))).toBe(
    'as it is',
  );
  expect(world.wakes).toEqual([wake]);
});
