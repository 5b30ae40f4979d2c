import { afterEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import type { OrderedKind } from '../../../../shared/app/commit-order.ts';
import { type Entries, mostAtOnce, watchCommits } from '../../../../shared/app/fleet/change-stream.ts';
import type { Store, Tail, TailPage, Write } from '../../../../shared/app/ports.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

let stop = () => {};
afterEach(() => stop());

function activity(entryId: string): Write {
  const data = { entryId, deviceId: 'cam-1', groupId: 'north', at: startOfTests, kind: 'presence', who: 'device' };
  return { kind: 'create', in: 'activity', id: entryId, data: { ...data, summary: 'x' } as never };
}

/** A store whose last `unsettled` commits are not settled yet, as in Firestore for a while. A test may change the number at any time. */
function settling(inner: Store) {
  const looks: number[] = [];
  const state = { unsettled: 0 };
  const tail = async <K extends OrderedKind>(asked: Tail<K>): Promise<TailPage<K>> => {
    const { found, end } = await inner.tail(asked);
    looks.push(found.length);
    const settled = found.slice(0, Math.max(0, found.length - state.unsettled));
    if (settled.length === found.length) return { found, ahead: [], end };
    return { found: settled, ahead: found.slice(settled.length), end: settled.at(-1)?.position ?? asked.after ?? end };
  };
  return { store: { ...inner, tail }, looks, state };
}

async function watching(store: Store, refuse: () => boolean = () => false) {
  const heard: string[] = [];
  const take = async ({ activity: notified }: Entries) => {
    if (notified.length > 0 && refuse()) throw new Error('UNAVAILABLE');
    heard.push(...notified.map(({ id }) => id));
  };
  const world = createTestWorld(store);
  const watch = watchCommits(world, { everyMs: 5, take });
  stop = watch.stop;
  await watch.ready;
  return { heard, world };
}

test('a storm is passed on whole and in order, never more than one look reads at once', async () => {
  const { store, looks } = settling(createMemoryStore());
  const { heard } = await watching(store);
  const ids = Array.from({ length: 5000 }, (_, index) => `e-${String(index).padStart(5, '0')}`);
  for (let first = 0; first < ids.length; first += 250) {
    await store.commit(ids.slice(first, first + 250).map(activity));
  }
  await expect.poll(() => heard.length, { timeout: 5000 }).toBe(5000);
  expect(heard).toEqual(ids);
  expect(Math.max(...looks)).toBeLessThanOrEqual(mostAtOnce);
});

test('what is not settled is passed on at once, and only once', async () => {
  const inner = createMemoryStore();
  const { store, state } = settling(inner);
  const { heard } = await watching(store);
  state.unsettled = 3;
  for (const id of ['b', 'c', 'd']) await store.commit([activity(id)]);
  await expect.poll(() => heard, { timeout: 5000 }).toEqual(['b', 'c', 'd']);
  await store.commit([activity('e')]);
  await expect.poll(() => heard, { timeout: 5000 }).toEqual(['b', 'c', 'd', 'e']);
  state.unsettled = 0;
  await store.commit([activity('f')]);
  await expect.poll(() => heard, { timeout: 5000 }).toEqual(['b', 'c', 'd', 'e', 'f']);
});

test('what could not be passed on is looked at again', async () => {
  let refusals = 3;
  const { store } = settling(createMemoryStore());
  const { heard, world } = await watching(store, () => refusals-- > 0);
  for (const id of ['a', 'b']) await store.commit([activity(id)]);
  await expect.poll(() => heard, { timeout: 5000 }).toEqual(['a', 'b']);
  expect(world.lines.filter(({ event }) => event === 'stream.failed').length).toBe(3);
});
