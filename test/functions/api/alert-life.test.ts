import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rollUpTrends } from '../../../shared/app/fleet/trends.ts';
import { createPost } from '../../support/notify/post.ts';
import { giveRule, giveTeam, openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';
import { createTestWorld } from '../../support/world/world.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
  await giveTeam(api.world, 'operations', { emails: ['ops@example.com'] });
});
afterAll(() => api.stop());

const act = (id: string, action: string, body: object = {}, headers: Record<string, string> = {}) =>
  api.call('POST', `/v1/alerts/${id}/${action}`, { body, headers });

describe('what each state takes', () => {
  const reach: Record<string, [action: string, body?: object][]> = {
    active: [],
    acknowledged: [['acknowledge']],
    resolved: [['resolve']],
  };
  test.each([
    ['active', 'acknowledge', {}, 200, 'acknowledged'],
    ['active', 'snooze', { minutes: 5 }, 200, 'active'],
    ['active', 'notes', { text: 'x' }, 409, 'active'],
    ['active', 'resolve', {}, 200, 'resolved'],
    ['active', 'reopen', {}, 200, 'active'],
    ['acknowledged', 'acknowledge', {}, 200, 'acknowledged'],
    ['acknowledged', 'snooze', { minutes: 5 }, 409, 'acknowledged'],
    ['acknowledged', 'notes', { text: 'x' }, 201, 'acknowledged'],
    ['acknowledged', 'resolve', {}, 200, 'resolved'],
    ['acknowledged', 'reopen', {}, 409, 'acknowledged'],
    ['resolved', 'acknowledge', {}, 409, 'resolved'],
    ['resolved', 'snooze', { minutes: 5 }, 409, 'resolved'],
    ['resolved', 'notes', { text: 'x' }, 409, 'resolved'],
    ['resolved', 'resolve', {}, 200, 'resolved'],
    ['resolved', 'reopen', {}, 200, 'active'],
  ] as const)('%s: %s %j answers %s and leaves it %s', async (from, action, body, status, to) => {
    const id = await openTestAlert(api.world);
    for (const [step, given] of reach[from] ?? []) await act(id, step, given);
    const answer = await act(id, action, body);
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body).toMatchObject({ code: 'invalid-transition', alertStatus: from });
    expect((await api.call('GET', `/v1/alerts/${id}`)).body.status).toBe(to);
  });
});

test.each([
  [{}, ''],
  [{ minutes: 5, until: '2026-11-20T12:00:00Z' }, ''],
  [{ until: '2026-11-20T09:00:00Z' }, '/until'],
  [{ until: '2026-12-21T10:00:00Z' }, '/until'],
  [{ minutes: 0 }, '/minutes'],
])('a snooze of %j is refused', async (body, pointer) => {
  const answer = await act(await openTestAlert(api.world), 'snooze', body);
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].pointer).toBe(pointer);
});

test('an outdated If-Match is refused, the present one is accepted', async () => {
  const id = await openTestAlert(api.world);
  const { headers } = await api.call('GET', `/v1/alerts/${id}`);
  const etag = headers.get('etag') ?? '';
  expect((await act(id, 'acknowledge', {}, { 'If-Match': etag })).status).toBe(200);
  expect((await act(id, 'resolve', {}, { 'If-Match': etag })).status).toBe(412);
});

test('history shows who, when, from, to and why, oldest first, in pages; notes are its entries of kind note', async () => {
  const id = await openTestAlert(api.world);
  await act(id, 'acknowledge', { comment: 'mine' });
  await act(id, 'notes', { text: 'the switch\nis down' });
  await act(id, 'resolve', { comment: 'mended' });
  const first = await api.call('GET', `/v1/alerts/${id}/history?pageSize=3`);
  const second = await api.call('GET', `/v1/alerts/${id}/history?pageSize=3&pageToken=${first.body.nextPageToken}`);
  const entries = [...first.body.entries, ...second.body.entries];
  expect(entries.map(({ who, action, from, to, why }) => [who, action, from, to, why])).toEqual([
    ['device', 'open', null, 'active', null],
    ['user:ana', 'acknowledge', 'active', 'acknowledged', 'mine'],
    ['user:ana', 'add-note', 'acknowledged', 'acknowledged', 'the switch\nis down'],
    ['user:ana', 'resolve', 'acknowledged', 'resolved', 'mended'],
  ]);
  const { body } = await api.call('GET', `/v1/alerts/${id}/notes`);
  expect(body.notes).toEqual([expect.objectContaining({ author: 'user:ana', text: 'the switch\nis down' })]);
});

test('one action on many alerts has a result for each alert', async () => {
  const [a, b] = [await openTestAlert(api.world), await openTestAlert(api.world)];
  await act(b, 'resolve');
  const none = '00000000-0000-4000-8000-999999999999';
  const { status, body } = await api.call('POST', '/v1/alerts/batch', {
    body: { action: 'acknowledge', alertIds: [a, b, none] },
  });
  expect(status).toBe(200);
  expect(
    body.results.map((result: { status: number; problem?: { code: string } }) => [result.status, result.problem?.code]),
  ).toEqual([
    [200, undefined],
    [409, 'invalid-transition'],
    [404, 'not-found'],
  ]);
});

test('every request for an alert of another group is answered 404', async () => {
  const id = await openTestAlert(api.world, { groupId: 'south' });
  const token = await api.issuer.token({ groups: ['north'] });
  for (const [method, path, body] of [
    ['GET', ''],
    ['GET', '/history'],
    ['GET', '/notes'],
    ['GET', '/explain'],
    ['POST', '/resolve', {}],
    ['POST', '/snooze', { minutes: 1 }],
    ['POST', '/notes', { text: 'x' }],
    ['POST', '/reopen', {}],
  ] as const) {
    expect((await api.call(method, `/v1/alerts/${id}${path}`, { token, body })).status).toBe(404);
  }
});

test('an explanation names rules, who was notified by which delivery, who was not and why, and the next step', async () => {
  const world = createTestWorld();
  const own = await startTestApi(world);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const first = await openTestAlert(world);
  for (let count = 0; count < 2; count += 1) await openTestAlert(world);
  const second = await openTestAlert(world);
  const ruleId = await giveRule(world, {
    name: 'quiet nights',
    condition: { code: 'CONN_*' },
    action: { suppress: true },
  });
  const third = await openTestAlert(world);
  const warning = await openTestAlert(world, { code: 'RES_002' });
  const explain = async (id: string) => (await own.call('GET', `/v1/alerts/${id}/explain`)).body;
  expect(await explain(first)).toMatchObject({
    channelsBy: 'matrix',
    notified: [
      { because: 'open', channel: 'email', target: 'ops@example.com', how: 'sent', deliveryStatus: 'pending' },
    ],
    notNotified: [
      { channel: 'chat', reason: 'no-contact' },
      { channel: 'sms', reason: 'no-contact' },
    ],
    next: [
      { at: '2026-11-20T10:05:00.000Z', what: 'Nobody answers: escalated to operations' },
      {
        at: '2026-11-20T10:30:00.000Z',
        what: 'Nobody answers: reminder to operations, from then on every 30 min, after 4 h every 4 h',
      },
    ],
  });
  // The three messages before it take the direct slots, so this one is left to the digest.
  await createPost(world).pass(1);
  expect((await explain(second)).notified).toMatchObject([{ how: 'digest', deliveryStatus: 'dismissed' }]);
  expect(await explain(third)).toMatchObject({
    rules: [{ ruleId, name: 'quiet nights' }],
    notified: [],
    notNotified: [{ channel: null, reason: 'suppressed' }],
    next: [],
  });
  expect((await explain(warning)).notNotified[0]).toMatchObject({ channel: 'email', reason: 'matrix' });
  await own.stop();
});

test('trends show opened alerts and response times, read from counters', async () => {
  const world = createTestWorld();
  const own = await startTestApi(world);
  for (let count = 0; count < 10; count += 1) {
    const id = await openTestAlert(world, { groupId: count < 8 ? 'north' : 'south' });
    world.pass(60);
    await own.call('POST', `/v1/alerts/${id}/acknowledge`, { body: {} });
    world.pass(240);
    await own.call('POST', `/v1/alerts/${id}/resolve`, { body: {} });
  }
  await rollUpTrends(world);
  const { body } = await own.call('GET', '/v1/fleet/trends?days=1');
  expect(body.buckets).toHaveLength(24);
  expect(body.buckets.at(-1)).toEqual({
    at: '2026-11-20T10:00:00.000Z',
    opened: { CRITICAL: 10, ERROR: 0, WARNING: 0, INFO: 0 },
  });
  expect(body.timeToAcknowledge).toMatchObject({ count: 10, meanSeconds: 60 });
  for (const [of, seconds] of [
    ['timeToAcknowledge', 60],
    ['timeToResolve', 300],
  ] as const) {
    for (const figure of ['medianSeconds', 'p95Seconds']) {
      expect(Math.abs(body[of][figure] / seconds - 1)).toBeLessThan(0.1);
    }
  }
  const token = await own.issuer.token({ groups: ['south'] });
  const south = await own.call('GET', '/v1/fleet/trends?days=1', { token });
  expect(south.body.timeToResolve.count).toBe(2);
  await own.stop();
});
