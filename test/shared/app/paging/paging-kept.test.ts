import { expect, test } from 'vitest';
import { createKept } from '../../../../shared/app/paging/paging.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests } from '../../../support/world/world.ts';

test('calls that come together share one read, which is kept for its time', async () => {
  const kept = createKept<number>(1000, 10);
  let reads = 0;
  const read = async () => {
    reads += 1;
    return reads;
  };
  expect(await Promise.all([kept('a', startOfTests, read), kept('a', startOfTests, read)])).toEqual([1, 1]);
  expect(await kept('a', plus(startOfTests, 999), read)).toBe(1);
  expect(await kept('a', plus(startOfTests, 1000), read)).toBe(2);
  expect(await kept('b', plus(startOfTests, 1000), read)).toBe(3);
});

test('a read that failed is not kept', async () => {
  const kept = createKept<string>(1000, 10);
  await expect(kept('a', startOfTests, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await kept('a', startOfTests, async () => 'there')).toBe('there');
});

test('keeps a number of answers, and forgets the oldest first', async () => {
  const kept = createKept<string>(1000, 2);
  for (const key of ['a', 'b', 'c']) await kept(key, startOfTests, async () => `first ${key}`);
  expect(await kept('c', startOfTests, async () => 'again')).toBe('first c');
  expect(await kept('a', startOfTests, async () => 'again')).toBe('again');
});
