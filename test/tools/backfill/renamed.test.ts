import { expect, test } from 'vitest';
import { renamedOf } from '../../../tools/backfill/renamed.ts';

const names = { old: 'now' };

test.each([
  ['a member', { old: 1, other: 2 }, { now: 1, old: undefined }],
  ['nothing', { now: 1, other: { now: 2 } }, {}],
  ['what is within another', { a: { b: [{ old: 1, c: 2 }] }, d: [1] }, { a: { b: [{ now: 1, c: 2 }] } }],
  ['what contains another', { old: { old: [null, 'old'] } }, { now: { now: [null, 'old'] }, old: undefined }],
  ['what is null', { old: null }, { now: null, old: undefined }],
  ['an older value beside the present one', { old: 1, now: 2 }, { old: undefined }],
])('renames %s', (_, data, changes) => {
  expect(renamedOf(data, names)).toEqual(changes);
  expect(Object.keys(renamedOf(data, names)).toSorted()).toEqual(Object.keys(changes).toSorted());
});

test('leaves what is no plain object as it is', () => {
  const at = new Date(0);
  expect(renamedOf({ at, bytes: Buffer.from('old') }, names)).toEqual({});
});
