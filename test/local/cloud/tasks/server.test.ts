import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudTasksClient } from '@google-cloud/tasks';
import { credentials } from '@grpc/grpc-js';
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startIssuer } from '../../../../local/cloud/issuer.ts';
import { startTasks } from '../../../../local/cloud/tasks/server.ts';
import { backoffMs, defaultQueueSettings, isExhausted } from '../../../../local/cloud/tasks/settings.ts';
import type { Service } from '../../../../local/machine/http-server.ts';

type Call = { path: string; method: string; headers: IncomingHttpHeaders; body: string; at: number };

const calls: Call[] = [];
let answer: (call: Call) => number | Promise<number> = () => 200;
const target = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const { url: path = '', method = '', headers } = request;
    const call = { path, method, headers, body: Buffer.concat(chunks).toString(), at: Date.now() };
    calls.push(call);
    response.writeHead(await answer(call)).end();
  });
});

const journalFile = join(mkdtempSync(join(tmpdir(), 'watchpost-tasks-')), 'tasks.journal');
const parent = 'projects/p/locations/l';
let issuer: Service;
let issuerUrl: string;
let service: Service;
let client: CloudTasksClient;
let url: string;
let queueCount = 0;
let queue: string;

const connect = (port: number) =>
  new CloudTasksClient({
    apiEndpoint: '127.0.0.1',
    port,
    sslCreds: credentials.createInsecure(),
    projectId: 'p',
  });

const start = () =>
  startTasks({ port: 0, issuer: issuerUrl, queues: { [`${parent}/queues/kept`]: defaultQueueSettings }, journalFile });

beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), kid: 'k', alg: 'RS256' };
  issuer = await startIssuer({ port: 0, signingKey, audience: 'watchpost', scope: 'alerts:read' });
  issuerUrl = `http://127.0.0.1:${issuer.port}`;
  service = await start();
  client = connect(service.port);
});

afterAll(async () => {
  await client.close();
  await service.stop();
  await issuer.stop();
  target.close();
});

beforeEach(async () => {
  calls.length = 0;
  answer = () => 200;
  queueCount += 1;
  queue = `${parent}/queues/q${queueCount}`;
  const retryConfig = { maxAttempts: 3, minBackoff: { nanos: 20e6 }, maxBackoff: { seconds: 1 }, maxDoublings: 2 };
  await client.createQueue({ parent, queue: { name: queue, retryConfig } });
});

const create = async (task: Record<string, unknown> = {}) => {
  const httpRequest = { url: `${url}/work`, httpMethod: 'POST' as const, ...(task['httpRequest'] as object) };
  const [created] = await client.createTask({ parent: queue, task: { ...task, httpRequest } });
  return created;
};
const called = (count: number) => expect.poll(() => calls.length, { timeout: 30_000, interval: 5 }).toBe(count);
const inMs = (ms: number) => {
  const at = Date.now() + ms;
  return { seconds: Math.floor(at / 1000), nanos: (at % 1000) * 1e6 };
};
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 0,
    (error: { code: number }) => error.code,
  );

describe('creating a task', () => {
  test('dispatches its request with method, headers, body and the headers of Cloud Tasks', async () => {
    const headers = { 'Content-Type': 'application/json', 'X-Own': 'yes' };
    await create({ name: `${queue}/tasks/one`, httpRequest: { headers, body: Buffer.from('{"a":1}') } });
    await called(1);
    expect(calls[0]).toMatchObject({ path: '/work', method: 'POST', body: '{"a":1}' });
    expect(calls[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-own': 'yes',
      'user-agent': 'Google-Cloud-Tasks',
      'x-cloudtasks-queuename': `q${queueCount}`,
      'x-cloudtasks-taskname': 'one',
      'x-cloudtasks-taskretrycount': '0',
      'x-cloudtasks-taskexecutioncount': '0',
    });
    expect(Number(calls[0]?.headers['x-cloudtasks-tasketa'])).toBeGreaterThan(1.7e9);
  });

  test('waits for the schedule time', async () => {
    const scheduleTime = inMs(200);
    await create({ scheduleTime });
    await called(1);
    expect(calls[0]?.at).toBeGreaterThanOrEqual(scheduleTime.seconds * 1000 + scheduleTime.nanos / 1e6 - 1);
  });

  test('refuses a name that is in use, and one whose task has ended or was deleted', async () => {
    const later = inMs(60_000);
    await create({ name: `${queue}/tasks/taken`, scheduleTime: later });
    expect(await code(create({ name: `${queue}/tasks/taken` }))).toBe(6);
    await client.deleteTask({ name: `${queue}/tasks/taken` });
    expect(await code(create({ name: `${queue}/tasks/taken` }))).toBe(6);
    await create({ name: `${queue}/tasks/ended` });
    await called(1);
    expect(await code(create({ name: `${queue}/tasks/ended` }))).toBe(6);
    expect(calls).toHaveLength(1);
  });

  test.each([
    ['a queue that does not exist', () => client.createTask({ parent: `${parent}/queues/none`, task: {} }), 9],
    ['a name outside its queue', () => create({ name: `${parent}/queues/other/tasks/x` }), 3],
    ['a name with a slash', () => create({ name: `${queue}/tasks/a/b` }), 3],
    ['more than 30 days ahead', () => create({ scheduleTime: inMs(31 * 86_400_000) }), 3],
    ['a dispatch deadline of 5 s', () => create({ dispatchDeadline: { seconds: 5 } }), 3],
    ['an address without scheme', () => create({ httpRequest: { url: 'host/path' } }), 3],
    ['a body with GET', () => create({ httpRequest: { httpMethod: 'GET', body: Buffer.from('x') } }), 3],
    ['more than 1 MB', () => create({ httpRequest: { body: Buffer.alloc(1024 * 1024 + 1) } }), 3],
  ])('refuses %s', async (_what, attempt, expected) => {
    expect(await code(attempt())).toBe(expected);
    expect(calls).toHaveLength(0);
  });

  test('signs an OIDC token of the asked account and audience', async () => {
    const email = 'tasks@p.iam.gserviceaccount.com';
    await create({ httpRequest: { oidcToken: { serviceAccountEmail: email, audience: 'https://deliver' } } });
    await create({ httpRequest: { oidcToken: { serviceAccountEmail: email } } });
    await called(2);
    const keys = createRemoteJWKSet(new URL(`${issuerUrl}/jwks`));
    const tokens = calls.map((call) => call.headers.authorization?.replace('Bearer ', '') ?? '');
    const verified = await Promise.all(tokens.map((token) => jwtVerify(token, keys, { issuer: issuerUrl })));
    expect(verified.map(({ payload }) => payload.aud).sort()).toEqual([`${url}/work`, 'https://deliver'].sort());
    expect(verified[0]?.payload).toMatchObject({ email, email_verified: true });
  });
});

describe('a task that fails', () => {
  test('is tried again with growing counts until it succeeds', async () => {
    const statuses = [500, 429, 204];
    answer = () => statuses[calls.length - 1] ?? 200;
    await create();
    await called(3);
    const header = (name: string) => calls.map((call) => call.headers[`x-cloudtasks-${name}`]);
    expect(header('taskretrycount')).toEqual(['0', '1', '2']);
    expect(header('taskexecutioncount')).toEqual(['0', '1', '2']);
    expect(header('taskpreviousresponse')).toEqual([undefined, '500', '429']);
  });

  test('is deleted after the last attempt of its queue', async () => {
    answer = () => 500;
    const task = await create({ name: `${queue}/tasks/hopeless` });
    await called(3);
    await expect.poll(() => code(client.getTask({ name: task.name ?? '' })), { timeout: 30_000 }).toBe(5);
    expect(calls).toHaveLength(3);
  });

  test('shows its attempts while it waits', async () => {
    const retryConfig = { minBackoff: { seconds: 30 }, maxBackoff: { seconds: 60 } };
    await client.updateQueue({ queue: { name: queue, retryConfig } });
    answer = () => 503;
    const { name } = await create();
    await called(1);
    const read = async () => (await client.getTask({ name: name ?? '' }))[0];
    await expect.poll(async () => (await read()).responseCount, { timeout: 30_000 }).toBe(1);
    const task = await read();
    expect(task).toMatchObject({ dispatchCount: 1, lastAttempt: { responseStatus: { code: 14 } }, view: 'BASIC' });
    expect(Number(task.scheduleTime?.seconds)).toBeGreaterThan(Date.now() / 1000 + 20);
  });

  test('has the retry delays of the example in the Cloud Tasks reference', () => {
    const retry = { maxAttempts: -1, maxRetryDurationMs: 0, minBackoffMs: 10, maxBackoffMs: 300, maxDoublings: 3 };
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((failures) => backoffMs(retry, failures))).toEqual([
      10, 20, 40, 80, 160, 240, 300, 300,
    ]);
  });

  test.each([
    [{ maxAttempts: -1, maxRetryDurationMs: 0 }, 1000, 1e9, false],
    [{ maxAttempts: 3, maxRetryDurationMs: 0 }, 2, 1e9, false],
    [{ maxAttempts: 3, maxRetryDurationMs: 0 }, 3, 0, true],
    [{ maxAttempts: 3, maxRetryDurationMs: 100 }, 3, 99, false],
    [{ maxAttempts: 3, maxRetryDurationMs: 100 }, 3, 100, true],
  ])('with %j, %i attempts and %i ms is given up: %s', (limits, attempts, elapsedMs, expected) => {
    expect(isExhausted({ ...defaultQueueSettings.retry, ...limits }, attempts, elapsedMs)).toBe(expected);
  });
});

describe('a queue', () => {
  test('holds its tasks while it is paused and lets them go when it resumes', async () => {
    expect((await client.pauseQueue({ name: queue }))[0].state).toBe('PAUSED');
    await create();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).toHaveLength(0);
    expect((await client.resumeQueue({ name: queue }))[0].state).toBe('RUNNING');
    await called(1);
  });

  test('runs one task by hand although it is paused', async () => {
    await client.pauseQueue({ name: queue });
    const { name } = await create({ scheduleTime: inMs(60_000) });
    await client.runTask({ name: name ?? '' });
    await called(1);
  });

  test('forgets every task when it is purged', async () => {
    await client.pauseQueue({ name: queue });
    await create();
    await create({ scheduleTime: inMs(100) });
    const [purged] = await client.purgeQueue({ name: queue });
    expect(purged.purgeTime?.seconds).toBeDefined();
    await client.resumeQueue({ name: queue });
    expect((await client.listTasks({ parent: queue }))[0]).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(calls).toHaveLength(0);
  });

  test('lists its tasks page by page, bodies only in the full view', async () => {
    await client.pauseQueue({ name: queue });
    for (let n = 0; n < 5; n += 1) await create({ httpRequest: { body: Buffer.from(`b${n}`) } });
    const [basic] = await client.listTasks({ parent: queue, pageSize: 2 });
    expect(basic).toHaveLength(5);
    expect(basic[0]?.httpRequest?.body).toHaveLength(0);
    const [full] = await client.listTasks({ parent: queue, responseView: 'FULL' });
    expect(full.map((task) => String(task.httpRequest?.body))).toEqual(['b0', 'b1', 'b2', 'b3', 'b4']);
  });

  test('does not exceed its rate', async () => {
    await client.updateQueue({ queue: { name: queue, rateLimits: { maxDispatchesPerSecond: 20 } } });
    const startedAt = Date.now();
    for (let n = 0; n < 10; n += 1) await create();
    await called(10);
    // A burst of 4, then 6 more at 50 ms each.
    expect((calls[9]?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(295);
  });

  test('does not exceed its number of concurrent tasks', async () => {
    await client.updateQueue({ queue: { name: queue, rateLimits: { maxConcurrentDispatches: 2 } } });
    let open = 0;
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const seen: number[] = [];
    answer = async () => {
      open += 1;
      seen.push(open);
      await gate;
      open -= 1;
      return 200;
    };
    for (let n = 0; n < 6; n += 1) await create();
    await called(2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(calls).toHaveLength(2);
    go();
    await called(6);
    expect(Math.max(...seen)).toBe(2);
  });

  test('is created, listed, changed and deleted', async () => {
    const [queues] = await client.listQueues({ parent });
    expect(queues.map((one) => one.name)).toContain(queue);
    expect(await code(client.createQueue({ parent, queue: { name: queue } }))).toBe(6);
    const tooFast = { name: queue, rateLimits: { maxDispatchesPerSecond: 501 } };
    expect(await code(client.updateQueue({ queue: tooFast }))).toBe(3);
    await client.deleteQueue({ name: queue });
    expect(await code(client.getQueue({ name: queue }))).toBe(5);
  });
});

test('a restarted service keeps its tasks and used names', async () => {
  queue = `${parent}/queues/kept`;
  await create({ name: `${queue}/tasks/done` });
  await called(1);
  await create({ name: `${queue}/tasks/waiting`, scheduleTime: inMs(300), httpRequest: { body: Buffer.from('kept') } });
  await client.close();
  await service.stop();
  service = await start();
  client = connect(service.port);
  expect(await code(create({ name: `${queue}/tasks/done` }))).toBe(6);
  await called(2);
  expect(calls[1]?.body).toBe('kept');
});
