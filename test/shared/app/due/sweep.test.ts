import { expect, test } from 'vitest';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import type { Ledger } from '../../../../shared/app/ledger/objects.ts';
import { noCanaries } from '../../../../shared/app/sight/send-canaries.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const linesOf = (world: ReturnType<typeof createTestWorld>, event: string) =>
  world.lines.filter((line) => line.event === event);

test('a sweep that ran to its end says so once, with its time', async () => {
  const world = createTestWorld();
  await sweep(world);
  expect(linesOf(world, 'sweep.done')).toMatchObject([{ fields: { tookMs: expect.any(Number) } }]);
});

test('a sweep of which a part failed does not say that it is done: somebody is called where none is for some minutes', async () => {
  const world = createTestWorld();
  await expect(sweep(world, noCanaries, {} as Ledger)).rejects.toThrow();
  expect(linesOf(world, 'sweep.failed')).toMatchObject([{ fields: { part: 'ledger' } }]);
  expect(linesOf(world, 'sweep.done')).toEqual([]);
});
