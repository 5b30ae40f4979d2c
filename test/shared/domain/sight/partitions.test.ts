import { expect, test } from 'vitest';
import {
  covering,
  expectedPartitions,
  isPartition,
  type PartitionSighting,
} from '../../../../shared/domain/sight/partitions.ts';
import { at } from '../../../support/world/timeline.ts';

/** `heard('2/4', 60)`: the second of four bridges was heard after a minute. */
const heard = (name: string, seconds: number, rest: Partial<PartitionSighting> = {}): PartitionSighting => {
  const [partition = 0, of = 0] = name.split('/').map(Number);
  return { partition, of, sentAt: at(seconds), ...rest };
};
const names = (list: readonly { partition: number; of: number }[]) =>
  list.map(({ partition, of }) => `${partition}/${of}`);
const four = (...seconds: number[]) => seconds.map((second, index) => heard(`${index + 1}/4`, second));

test.each([
  [1, 1, true],
  [64, 64, true],
  [0, 4, false],
  [5, 4, false],
  [1, 3, false],
  [1, 128, false],
  [1.5, 4, false],
  [1, 0, false],
])('%d of %d is a partition: %s', (partition, of, is) => {
  expect(isPartition({ partition, of })).toBe(is);
});

test('all partitions of a division cover the devices together; while one was never heard, none do', () => {
  expect(names(covering(four(60, 60, 60, 60)))).toEqual(['1/4', '2/4', '3/4', '4/4']);
  expect(covering(four(60, 60, 60))).toEqual([]);
  expect(covering([])).toEqual([]);
});

test('while the devices are divided anew, the division whose oldest canary is the newest covers them', () => {
  const begun = [heard('1/1', 120), ...four(120, 120, 120)];
  expect(names(covering(begun))).toEqual(['1/1']);
  const done = [heard('1/1', 120), ...four(180, 180, 180, 180)];
  expect(names(covering(done))).toEqual(['1/4', '2/4', '3/4', '4/4']);
  const oneDied = [heard('1/1', 120), ...four(600, 60, 600, 600)];
  expect(names(covering(oneDied))).toEqual(['1/1']);
});

test('a division leaves when every partition of another was heard after all of it, and never by time', () => {
  expect(names(expectedPartitions([heard('1/1', 120), ...four(180, 180, 180, 180)]))).toEqual([
    '1/4',
    '2/4',
    '3/4',
    '4/4',
  ]);
  const dead = four(99_999, 60, 99_999, 99_999);
  expect(expectedPartitions(dead)).toHaveLength(4);
  expect(expectedPartitions(dead)[1]).toEqual({ partition: 2, of: 4, heardAt: at(60) });
  // One of the new division is missing, and the old one has ended: both are named.
  expect(names(expectedPartitions([heard('1/1', 120), ...four(180, 180, 180)]))).toEqual([
    '1/1',
    '1/4',
    '2/4',
    '3/4',
    '4/4',
  ]);
  expect(expectedPartitions([heard('1/1', 120), ...four(180, 180, 180)]).at(-1)?.heardAt).toBeNull();
});

test('a partition that a person removed is not expected, and the rest covers what it covers', () => {
  const [first, second, third, fourth] = four(600, 60, 600, 600);
  const list = [first, { ...second, removedAt: at(500) }, third, fourth] as PartitionSighting[];
  expect(names(expectedPartitions(list))).toEqual(['1/4', '3/4', '4/4']);
  expect(names(covering(list))).toEqual(['1/4', '3/4', '4/4']);
});
