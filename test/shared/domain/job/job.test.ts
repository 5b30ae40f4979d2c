import { expect, test } from 'vitest';
import { cancelled, isEnoughOfCall, newJob, stepped, toWireJob } from '../../../../shared/domain/job/job.ts';

const [start, later] = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:05:00.000Z'];
const acting = { kind: 'act-on-alerts', filter: {}, groups: null, command: { kind: 'resolve' } } as const;
const erasing = { kind: 'erase', about: { kind: 'contact', address: 'a@example.com' } } as never;

test('a job begins at once, with nothing done, and is kept for 30 days', () => {
  expect(newJob('j', acting, 7, 'user:ana', start)).toMatchObject({
    ...{ status: 'running', matched: 7, done: 0, refused: 0, steps: 0, version: 1, after: null },
    ...{ startedAt: start, endedAt: null, dueAt: start, expireAt: '2026-12-20T10:00:00.000Z' },
  });
});

test('a step adds what it did and says where the next one goes on; the last ends the job', () => {
  const first = stepped(newJob('j', acting, 7, 'user:ana', start), { done: 3, refused: 1, after: ['a'] }, later);
  expect(first).toMatchObject({ status: 'running', done: 3, refused: 1, steps: 1, version: 2, after: ['a'] });
  expect([first.dueAt, first.endedAt]).toEqual([later, null]);
  const last = stepped(first, { done: 2, refused: 1, after: null }, later);
  expect(last).toMatchObject({ status: 'done', done: 5, refused: 2, steps: 2, version: 3, after: null, work: acting });
  expect([last.dueAt, last.endedAt]).toEqual([null, later]);
});

test('an erasure that is over, or was cancelled, keeps nothing of whom it erased', () => {
  const job = newJob('j', erasing, 1, 'user:ana', start);
  const step = { done: 1, refused: 0 };
  expect(stepped(job, { ...step, after: ['a'] }, later).work).toEqual(erasing);
  expect(stepped(job, { ...step, after: null }, later).work).toEqual({ kind: 'erase', about: null });
  expect(cancelled({ ...job, after: ['a'] }, later)).toMatchObject({
    ...{ status: 'cancelled', work: { kind: 'erase', about: null }, after: null },
    ...{ endedAt: later, dueAt: null, version: 2 },
  });
});

test('twenty steps are enough of one call', () => {
  const job = newJob('j', acting, 7, 'user:ana', start);
  expect([1, 19, 20, 21, 40].map((steps) => isEnoughOfCall({ ...job, steps }))).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
});

test('only an erasure tells of the copies that remain', () => {
  expect(toWireJob(newJob('j', acting, 7, 'user:ana', start))).not.toHaveProperty('copies');
  expect(toWireJob(newJob('j', erasing, 7, 'user:ana', start)).copies?.length).toBeGreaterThan(0);
});
