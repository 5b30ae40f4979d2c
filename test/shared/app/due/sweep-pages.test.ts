import { expect, test } from 'vitest';
import { forEachFound, inTurn, pageSize } from '../../../../shared/app/due/sweep-pages.ts';
import type { Stored } from '../../../../shared/app/ports.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const fails = (text: string) => async (): Promise<number> => {
  throw new Error(text);
};

test('a part that fails stops no other, and the sweep fails with the first error once all have run', async () => {
  const world = createTestWorld();
  let ran = 0;
  const runs = async () => {
    ran += 1;
    return 3;
  };
  await expect(inTurn(world, { a: runs, b: fails('one'), c: runs })).rejects.toThrow('one');
  await expect(inTurn(world, { a: fails('one'), b: fails('two'), c: runs })).rejects.toThrow('one');
  expect(ran).toBe(3);
  const named = world.lines.filter(({ event }) => event === 'sweep.failed').map(({ fields }) => fields['part']);
  expect(named).toEqual(['b', 'a', 'b']);
});

test('where all parts run, each says how many it handled', async () => {
  expect(await inTurn(createTestWorld(), { a: async () => 0, b: async () => 7 })).toEqual({ a: 0, b: 7 });
});

test('a page follows the last record of the one before, until one is not full', async () => {
  const world = createTestWorld();
  const all = Array.from({ length: 2 * pageSize + 1 }, (_, id) => ({ id: String(id) }) as Stored<'devices'>);
  const asked: (string | undefined)[] = [];
  const handled: string[] = [];
  const page = async (after: Stored<'devices'> | null) => {
    asked.push(after?.id);
    const from = after ? Number(after.id) + 1 : 0;
    return all.slice(from, from + pageSize);
  };
  const bounds = { limit: 10_000, until: world.now() };
  const isMore = await forEachFound(world, bounds, page, async ({ id }) => void handled.push(id));
  expect(isMore).toBe(false);
  expect(asked).toEqual([undefined, '399', '799']);
  expect(handled.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
});
