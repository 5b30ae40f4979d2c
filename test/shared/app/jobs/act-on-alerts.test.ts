import { beforeEach, expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { actOnMatching } from '../../../../shared/app/jobs/act-on-alerts.ts';
import { cancelJob, getJob } from '../../../../shared/app/jobs/jobs.ts';
import { alertOf, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const operator: Bearer = { subject: 'user:ana', scopes: new Set(['alerts:write']), groups: ['north'] };
const jobId = uuidOf(70_001);
let world: TestWorld;
beforeEach(() => {
  world = createTestWorld();
});

async function openMany(count: number, groupId = 'north'): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    world.pass(1);
    ids.push(await openTestAlert(world, { groupId, code: 'RES_001' }));
  }
  world.pass(1);
  return ids;
}
const statusesOf = async (ids: readonly string[]) =>
  Object.entries(Object.groupBy(await Promise.all(ids.map((id) => alertOf(world, id))), ({ status }) => status)).map(
    ([status, alerts]) => `${alerts?.length} ${status}`,
  );

test('all that match are changed, by the person who asked, and none of another group or from after the call', async () => {
  const ids = await openMany(120);
  const [foreign] = await openMany(1, 'south');
  const request = { action: 'acknowledge' as const, filter: { code: ['RES_001' as const] } };
  expect(await actOnMatching(world, operator, jobId, { ...request, dryRun: true })).toEqual({
    jobId: null,
    matched: 120,
  });
  expect(await statusesOf(ids)).toEqual(['120 active']);
  expect(await actOnMatching(world, operator, jobId, request)).toEqual({ jobId, matched: 120 });
  const [later] = await openMany(1);
  expect(await handleDue(world, 'jobs', jobId)).toBe(true);
  expect(await statusesOf(ids)).toEqual(['120 acknowledged']);
  expect((await alertOf(world, ids[0] ?? '')).acknowledgedBy).toBe('user:ana');
  expect(await statusesOf([foreign ?? '', later ?? ''])).toEqual(['2 active']);
  expect(await getJob(world, operator, jobId)).toMatchObject({
    ...{ kind: 'act-on-alerts', status: 'done', matched: 120, done: 120, refused: 0 },
  });
  // A duplicate wake has no effect.
  expect(await handleDue(world, 'jobs', jobId)).toBe(false);
});

test('what it resolves leaves the list it walks, and it passes none by; what refuses is counted', async () => {
  const ids = await openMany(130);
  await actOnMatching(world, operator, jobId, { action: 'resolve', filter: {}, comment: 'Power is back' });
  await handleDue(world, 'jobs', jobId);
  expect(await statusesOf(ids)).toEqual(['130 resolved']);
  await openMany(2);
  const all = { status: ['all' as const] };
  await actOnMatching(world, operator, uuidOf(70_002), { action: 'snooze', minutes: 10, filter: all });
  await handleDue(world, 'jobs', uuidOf(70_002));
  expect(await getJob(world, operator, uuidOf(70_002))).toMatchObject({ done: 2, refused: 130 });
  // A refusal is an answer to the caller, not a failure of the service.
  expect(world.lines.filter(({ event }) => event === 'batch.failed')).toEqual([]);
});

test('a cancelled job changes nothing more, and belongs to whom it was asked by', async () => {
  const ids = await openMany(3);
  await actOnMatching(world, operator, jobId, { action: 'acknowledge', filter: {} });
  const colleague: Bearer = { ...operator, subject: 'user:bo' };
  await expect(getJob(world, colleague, jobId)).rejects.toMatchObject({ code: 'not-found' });
  await expect(cancelJob(world, { ...colleague, groups: null }, jobId)).rejects.toMatchObject({ code: 'not-found' });
  const owner: Bearer = { subject: 'user:eve', scopes: new Set(['settings:write']), groups: null };
  expect((await cancelJob(world, owner, jobId)).status).toBe('cancelled');
  await handleDue(world, 'jobs', jobId);
  expect(await statusesOf(ids)).toEqual(['3 active']);
});

test('nothing is started where nothing matches, and a snooze without an end is refused at once', async () => {
  expect(await actOnMatching(world, operator, jobId, { action: 'resolve', filter: { q: 'nobody' } })).toEqual({
    jobId: null,
    matched: 0,
  });
  const endless = actOnMatching(world, operator, jobId, { action: 'snooze', filter: {} });
  await expect(endless).rejects.toMatchObject({ code: 'invalid-request' });
});
