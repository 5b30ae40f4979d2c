import { expect, test } from 'vitest';
import { createTakeOverWatch } from '../../../bridge/mqtt/take-over.ts';

const closed = { how: 'closed', detail: '' } as const;
const second = 1000;

test('a broker may say that the session was taken over', () => {
  expect(createTakeOverWatch()({ how: 'taken-over', detail: '' }, 0, 1)).toBe(true);
});

test('the third young connection that the broker closes within a minute is taken for it', () => {
  const isTaken = createTakeOverWatch();
  expect([1, 20, 40].map((at) => isTaken(closed, at * second, (at + 10) * second))).toEqual([false, false, true]);
});

test.each([
  ['are lost by the network', { how: 'lost', detail: '' } as const, 1, 1],
  ['never stood', closed, null, 1],
  ['were old', closed, 31, 1],
  ['come once a minute', closed, 1, 61],
])('connections that %s are no sign of it', (_how, ended, ageSeconds, everySeconds) => {
  const isTaken = createTakeOverWatch();
  const ends = [1, 2, 3, 4, 5].map((n) => n * everySeconds * second);
  const ready = (endedAt: number) => (ageSeconds === null ? null : endedAt - ageSeconds * second);
  expect(ends.some((endedAt) => isTaken(ended, ready(endedAt), endedAt))).toBe(false);
});
