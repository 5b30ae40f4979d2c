import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientOptions, createClient, type WatchpostError } from '../../../../sdk/typescript/src/index.ts';
import { openTestAlert } from '../../../support/records/alerts.ts';
import { startTestApi } from '../../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

/** A client of the API in this process. `before` may answer in place of the API; the requests are recorded. */
function clientOf(
  before: (request: Request, attempt: number) => Response | null = () => null,
  more: Partial<ClientOptions> = {},
) {
  const asked: string[] = [];
  const pauses: number[] = [];
  const client = createClient({
    baseUrl: 'http://localhost:8080/',
    token: () => api.issuer.token(),
    runtime: {
      fetch: async (url, init) => {
        const request = new Request(url, init);
        asked.push(`${request.method} ${new URL(url).pathname}${new URL(url).search}`);
        return before(request, asked.length) ?? api.fetch(request);
      },
      pause: async (ms) => void pauses.push(ms),
      random: () => 1,
    },
    ...more,
  });
  return { client, asked, pauses };
}
const status = (code: number, headers: Record<string, string> = {}) => new Response('{}', { status: code, headers });

test('each() returns all items of a list, and requests a page only when it is needed', async () => {
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    made.unshift(await openTestAlert(api.world));
    api.world.pass(1);
  }
  const { client, asked } = clientOf();
  const found: string[] = [];
  for await (const { alertId } of client.each('listAlerts', { query: { pageSize: 2, status: ['active'] } })) {
    found.push(alertId);
    if (found.length === 1) expect(asked).toHaveLength(1);
  }
  expect(found).toEqual(made);
  expect(asked).toHaveLength(3);
});

test('request() calls a given path with a query', async () => {
  const alertId = await openTestAlert(api.world);
  const { client, asked } = clientOf();
  const { data, etag } = await client.request<{ alertId: string }>('GET', `/v1/alerts/${alertId}`);
  expect([data.alertId, etag]).toEqual([alertId, '"1"']);
  await client.request('GET', '/v1/alerts', { query: { status: ['active', 'resolved'], pageSize: 1 } });
  expect(asked.at(-1)).toBe('GET /v1/alerts?status=active&status=resolved&pageSize=1');
  await expect(client.request('GET', '/v1/nothing')).rejects.toMatchObject({ code: 'not-found', status: 404 });
});

test('with ifMatch the second change of the same version is refused', async () => {
  const alertId = await openTestAlert(api.world);
  const { client } = clientOf();
  const { data, etag } = await client.call('getAlert', { params: { alertId } });
  expect(data.status).toBe('active');
  const given = { params: { alertId }, body: { comment: 'mine' }, ifMatch: etag ?? '' };
  expect((await client.call('acknowledgeAlert', given)).data.acknowledgedBy).not.toBeNull();
  await expect(client.call('resolveAlert', given)).rejects.toMatchObject({ code: 'precondition-failed', status: 412 });
});

test('an answer without a body is null, and a refusal has its code, faulty members and request id', async () => {
  const { client } = clientOf();
  await expect(client.call('putSettings', { body: {} as never })).rejects.toMatchObject({
    code: 'invalid-request',
    status: 400,
    errors: expect.arrayContaining([{ pointer: '/timeZone', detail: 'is required' }]),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const made = await client.call('createRule', {
    body: { name: 'r', condition: { code: 'CONN_*' }, action: { suppress: true } },
  });
  expect(await client.call('deleteRule', { params: { ruleId: made.data.ruleId } })).toEqual({ data: null, etag: null });
});

const ruleBody = { name: 'once', condition: { code: 'CONN_001' as const }, action: { suppress: true } };
type Client = ReturnType<typeof clientOf>['client'];
const calls = {
  GET: (client: Client) => client.call('getFleet'),
  POST: (client: Client) => client.call('createRule', { body: ruleBody }),
  PUT: (client: Client) => client.call('putTeam', { params: { name: 'x' }, body: {} }),
  'PUT with a version': (client: Client) => client.call('putTeam', { params: { name: 'x' }, body: {}, ifMatch: '"7"' }),
  DELETE: (client: Client) => client.call('deleteTeam', { params: { name: 'x' } }),
};

test.each<[what: string, call: keyof typeof calls, answer: () => Response, attempts: number, pauses: number[]]>([
  ['a read that met 503', 'GET', () => status(503), 4, [500, 1000, 2000]],
  ['a read that met 502', 'GET', () => status(502), 4, [500, 1000, 2000]],
  ['a read that met 500', 'GET', () => status(500), 1, []],
  ['a read that was asked to wait', 'GET', () => status(429, { 'Retry-After': '7' }), 4, [7000, 7000, 7000]],
  ['a read that was asked to wait too long', 'GET', () => status(429, { 'Retry-After': '61' }), 1, []],
  ['a change that was asked to wait', 'POST', () => status(429, { 'Retry-After': '1' }), 4, [1000, 1000, 2000]],
  ['a read that was put off', 'GET', () => status(503, { 'Retry-After': '3' }), 4, [3000, 3000, 3000]],
  ['a change of which nobody knows, after a wait', 'POST', () => status(503, { 'Retry-After': '3' }), 1, []],
  ['a change of which nobody knows', 'POST', () => status(503), 1, []],
  ['a replacement', 'PUT', () => status(503), 4, [500, 1000, 2000]],
  ['a replacement of a version', 'PUT with a version', () => status(503), 1, []],
  ['a removal', 'DELETE', () => status(504), 1, []],
  ['a connection that broke under a read', 'GET', () => broken(), 4, [500, 1000, 2000]],
  ['a connection that broke under a change', 'POST', () => broken(), 1, []],
])('%s is retried only as often as is safe', async (_, call, answer, attempts, pauses) => {
  const made = clientOf(() => answer());
  await expect(calls[call](made.client)).rejects.toBeInstanceOf(Error);
  expect([made.asked.length, made.pauses]).toEqual([attempts, pauses]);
});

function broken(): never {
  throw new TypeError('fetch failed');
}

test('a call that succeeds after retries returns its answer', async () => {
  const { client, asked } = clientOf((_, attempt) => (attempt < 3 ? status(503) : null));
  expect((await client.call('getFleet')).data.devices).toBeDefined();
  expect(asked).toHaveLength(3);
});

test('a token is never sent without TLS or to a redirect, and parameters are escaped', async () => {
  for (const baseUrl of [
    'http://watchpost.example.com',
    'http://localhost.example.com',
    'ftp://localhost',
    'https://u:p@h',
  ]) {
    expect(() => createClient({ baseUrl, token: 't' }), baseUrl).toThrow(TypeError);
  }
  const { client, asked } = clientOf(() => status(302, { Location: 'https://elsewhere.example.com/' }));
  await expect(client.call('getFleet')).rejects.toMatchObject({ status: 302, code: 'unexpected' });
  await expect(client.call('getAlert', { params: { alertId: '..' } })).rejects.toThrow(TypeError);
  await expect(client.call('getAlert', { params: { alertId: '' } })).rejects.toThrow(TypeError);
  await client.call('getAlert', { params: { alertId: '../fleet?x#y' } }).catch(() => {});
  expect(asked).toEqual(['GET /v1/fleet', 'GET /v1/alerts/..%2Ffleet%3Fx%23y']);
});

test('an answer that is not from the API has its own error code, and an aborted call throws the caller’s reason', async () => {
  const page = () => new Response('<html>', { status: 200 });
  await expect(clientOf(page).client.call('getFleet')).rejects.toMatchObject({ code: 'unexpected' });
  const gone = await clientOf(broken)
    .client.call('getFleet')
    .catch((error: WatchpostError) => error);
  expect(gone).toMatchObject({
    code: 'unreachable',
    status: 0,
    message: 'http://localhost:8080 cannot be reached: fetch failed.',
  });
  await expect(
    clientOf(broken).client.call('getFleet', { signal: AbortSignal.abort(new Error('enough')) }),
  ).rejects.toThrow('enough');
});

test('the caller’s time limit throws its own reason, and the client’s time limit throws `unreachable`', async () => {
  const fetch = (_: string, { signal }: RequestInit) =>
    new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const given = { baseUrl: 'http://localhost:8080/', token: 'token', runtime: { fetch } };
  const body = { name: 'Noise', condition: { code: 'CFG_*' }, action: { suppress: true } };
  const own = { body, signal: AbortSignal.timeout(1) };
  await expect(createClient(given).call('createRule', own)).rejects.toMatchObject({ name: 'TimeoutError' });
  const client = createClient({ ...given, timeoutMs: 1 });
  await expect(client.call('createRule', { body })).rejects.toMatchObject({ code: 'unreachable' });
});
