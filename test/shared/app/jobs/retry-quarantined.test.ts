import { beforeEach, expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeDeadLetter, takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { cancelJob, getJob } from '../../../../shared/app/jobs/jobs.ts';
import { retryMany } from '../../../../shared/app/jobs/retry-quarantined.ts';
import { uuidOf } from '../../../support/records/alerts.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { createFaultyStore, storeErrors } from '../../../support/stores/faulty-store.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const operator: Bearer = { subject: 'user:ana', scopes: new Set(['settings:write']), groups: null };
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const jobId = uuidOf(1);
let world: TestWorld & { frames: typeof frames };
beforeEach(() => {
  world = { ...createTestWorld(), frames };
});

/** Dead letters: `count` detections that can be read, and then `unreadable` messages that cannot. */
async function giveUp(count: number, unreadable: number): Promise<void> {
  for (let n = 0; n < count + unreadable; n += 1) {
    world.pass(1);
    const body = n < count ? detection(`s-${n}`) : Buffer.from('{');
    const at = { deviceId: `cam-${n % 3}`, messageId: `m-${n}`, publishTime: world.now() };
    await takeDeadLetter(world, message('detection', body, at), intake);
  }
  world.pass(1);
}
const sessions = async () =>
  (await world.store.find({ in: 'detections', limit: 1000 })).map(({ data }) => data.sessionId);

test('what a fault of ours put away comes back by one call, each once, and what cannot be read stays', async () => {
  await giveUp(70, 4);
  expect(await retryMany(world, operator, jobId, { dryRun: true })).toEqual({ jobId: null, matched: 74 });
  expect(await sessions()).toEqual([]);
  expect(await retryMany(world, operator, jobId, { reasons: ['dead-letter'] })).toEqual({ jobId, matched: 74 });
  expect(world.wakes.splice(0)).toEqual([expect.objectContaining({ in: 'jobs', id: jobId })]);
  expect(await handleDue(world, 'jobs', jobId)).toBe(true);
  expect(new Set(await sessions()).size).toBe(70);
  expect(await getJob(world, operator, jobId)).toMatchObject({
    ...{ kind: 'retry-quarantined', status: 'done', matched: 74, done: 70, refused: 4, createdBy: 'user:ana' },
  });
  // A duplicate wake has no effect.
  expect(await handleDue(world, 'jobs', jobId)).toBe(false);
  expect(await sessions()).toHaveLength(70);
});

test('only what lies there for the reasons named, within the time, and from before the call is retried', async () => {
  await giveUp(10, 0);
  const since = world.now();
  await giveUp(5, 0);
  await takeMessage(world, message('detection', Buffer.from('{'), { messageId: 'unreadable' }), intake);
  const { matched } = await retryMany(world, operator, jobId, { reasons: ['dead-letter'], since });
  expect(matched).toBe(0);
  expect((await retryMany(world, operator, uuidOf(2), { reasons: ['unreadable'], since })).matched).toBe(1);
  expect((await retryMany(world, operator, uuidOf(3), { until: since, dryRun: true })).matched).toBe(10);
});

test('a call does so many steps, and the next wake goes on; a sweep does where that is lost', async () => {
  await giveUp(620, 0);
  await retryMany(world, operator, jobId, {});
  world.wakes.splice(0);
  await handleDue(world, 'jobs', jobId);
  expect(await getJob(world, operator, jobId)).toMatchObject({ status: 'running', done: 500 });
  expect(world.wakes.filter((wake) => wake.in === 'jobs')).toEqual([expect.objectContaining({ version: 21 })]);
  world.pass(120);
  await sweep(world);
  expect(await getJob(world, operator, jobId)).toMatchObject({ status: 'done', done: 620 });
});

test('a step that the store cut off is done again, and no detection is doubled', async () => {
  await giveUp(30, 0);
  await retryMany(world, operator, jobId, {});
  const steady = world.store;
  let calls = 0;
  world.store = createFaultyStore(steady, (_call, name) => {
    calls += name === 'commit' ? 1 : 0;
    return calls > 20 ? { when: 'before', error: storeErrors.UNAVAILABLE } : null;
  });
  await expect(handleDue(world, 'jobs', jobId)).rejects.toThrow('UNAVAILABLE');
  world.store = steady;
  await handleDue(world, 'jobs', jobId);
  expect(new Set(await sessions()).size).toBe(30);
  expect(await sessions()).toHaveLength(30);
  expect(await getJob(world, operator, jobId)).toMatchObject({ status: 'done', refused: 0 });
});

test('a job that is cancelled does no more; it is seen by its creator and by those whom groups do not limit', async () => {
  await giveUp(3, 0);
  await retryMany(world, operator, jobId, {});
  expect(await cancelJob(world, operator, jobId)).toMatchObject({ status: 'cancelled' });
  expect(await cancelJob(world, operator, jobId)).toMatchObject({ status: 'cancelled' });
  await handleDue(world, 'jobs', jobId);
  expect(await sessions()).toEqual([]);
  const limited = { ...operator, subject: 'user:bo', groups: ['north'] };
  await expect(getJob(world, limited, jobId)).rejects.toMatchObject({ code: 'not-found' });
  await retryMany(world, operator, uuidOf(2), {});
  await handleDue(world, 'jobs', uuidOf(2));
  await expect(cancelJob(world, operator, uuidOf(2))).rejects.toMatchObject({ code: 'invalid-transition' });
});
