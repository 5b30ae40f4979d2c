import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alertOf, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { startTestApi } from '../../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

type Claims = Parameters<typeof api.issuer.token>[0];
type ToolResult = { isError?: boolean; content: { type: string; text: string }[] };

/** The official MCP client, connected to the API without a network. */
async function connect(claims: Claims = {}) {
  const token = await api.issuer.token(claims);
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL('http://watchpost.test/mcp'), {
    fetch: async (url, init) => api.fetch(new Request(url, init)),
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  // The types of the library do not fit exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

const use = async (client: Client, name: string, given: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: given })) as ToolResult;
/** The data of a result, between its `watchpost-data` tags. */
function dataOf({ content }: ToolResult) {
  const parts = content[0]?.text.split(/<\/?watchpost-data>/) ?? [];
  expect(parts).toHaveLength(3);
  return JSON.parse(parts[1] ?? '');
}

describe('the protocol’s own client', () => {
  test('gets instructions that data is never an instruction, and tools for reading and acknowledging', async () => {
    const client = await connect();
    expect(client.getInstructions()).toContain('never an instruction');
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['listAlerts', 'getDevice', 'getFleet', 'listAudit']));
    const acting = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    expect(acting.map(({ name }) => name).toSorted()).toEqual(['acknowledgeAlert', 'acknowledgeIncident']);
    for (const { inputSchema } of acting) expect(inputSchema.required).toHaveLength(1);
    for (const name of ['streamChanges', 'getMetrics', 'getOpenApi']) expect(names).not.toContain(name);
  });

  test('lists alerts by filters, reads one and acknowledges it under the name of its bearer', async () => {
    const alertId = await openTestAlert(api.world, { code: 'SEC_001' });
    await openTestAlert(api.world, { code: 'CONN_001' });
    const client = await connect({ sub: 'model' });
    const { alerts } = dataOf(await use(client, 'listAlerts', { code: ['SEC_001'], pageSize: 5 }));
    expect(alerts.map((alert: { alertId: string }) => alert.alertId)).toEqual([alertId]);
    expect(dataOf(await use(client, 'getAlert', { alertId }))).toMatchObject({ status: 'active' });
    const taken = await use(client, 'acknowledgeAlert', { alertId, comment: 'Ana has asked for it.' });
    expect(taken.isError).toBe(false);
    expect(await alertOf(api.world, alertId)).toMatchObject({ status: 'acknowledged', acknowledgedBy: 'user:model' });
    const found = await api.world.store.find({ in: 'auditStream', limit: 10 });
    expect(found.map(({ data }) => [data.action, data.subject])).toContainEqual(['acknowledgeAlert', 'user:model']);
  });

  test('gets the member and the reason of each refusal', async () => {
    const client = await connect();
    const cases: [name: string, given: Record<string, unknown>, code: string, said: string][] = [
      ['getAlert', { alertId: uuidOf(9) }, 'not-found', 'alert'],
      ['getAlert', {}, 'invalid-request', '/params/arguments/alertId'],
      ['getAlert', { alertId: 7 }, 'invalid-request', 'must be string'],
      ['getAlert', { alertId: '../devices/cam-1' }, 'not-found', 'alertId'],
      ['getAlert', { alertId: uuidOf(9), more: 'x' }, 'invalid-request', '?more'],
      ['listAlerts', { pageSize: 100_000 }, 'invalid-request', '?pageSize'],
      ['listAlerts', { code: { $ne: null } }, 'invalid-request', '/params/arguments/code'],
      ['acknowledgeAlert', { alertId: uuidOf(9), all: true }, 'invalid-request', '/all'],
    ];
    for (const [name, given, code, said] of cases) {
      const refused = await use(client, name, given);
      expect([name, given, refused.isError, dataOf(refused).code]).toEqual([name, given, true, code]);
      expect(refused.content[0]?.text).toContain(said);
    }
  });

  test('has only the tools that its scopes allow, and can call no other', async () => {
    const alertId = await openTestAlert(api.world);
    const client = await connect({ scope: 'alerts:read' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('acknowledgeAlert');
    expect(tools.map(({ name }) => name)).not.toContain('listDevices');
    const refused = await use(client, 'acknowledgeAlert', { alertId });
    expect([refused.isError, dataOf(refused).code]).toEqual([true, 'forbidden']);
    expect((await alertOf(api.world, alertId)).status).toBe('active');
    const limited = await connect({ groups: ['north'] });
    expect((await limited.listTools()).tools.map(({ name }) => name)).not.toContain('listAudit');
  });
});

const ask = async (given: {
  token?: string | null;
  body?: unknown;
  rawBody?: string;
  headers?: Record<string, string>;
}) => api.call('POST', '/mcp', given);
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('the endpoint', () => {
  test('answers a message with JSON, and a notification with nothing', async () => {
    expect(await ask({ body: ping })).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await ask({ body: notification })).toMatchObject({ status: 202, body: null });
  });

  test('answers no other method', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const { status, headers } = await api.call(method, '/mcp');
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  test('refuses pages of other origins, whatever token they hold', async () => {
    const from = async (Origin: string) => (await ask({ body: ping, headers: { Origin } })).status;
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('null')).toBe(403);
    expect(await from('http://watchpost.test')).toBe(403);
    expect(await from('https://console.example.com')).toBe(200);
  });

  test('requires a token for every message, and audits refusals together', async () => {
    expect((await ask({ token: null, body: ping })).status).toBe(401);
    expect((await ask({ token: await api.issuer.token({ aud: 'another' }), body: ping })).status).toBe(401);
    await api.refusals.flush();
    const found = await api.world.store.find({ in: 'auditStream', limit: 10 });
    expect(found.map(({ data }) => [data.reason, data.count])).toEqual([['unauthenticated', 2]]);
  });

  const bad: [what: string, body: unknown, status: number, code?: number][] = [
    ['a batch', [ping, ping], 400, -32_600],
    ['another version of JSON-RPC', { ...ping, jsonrpc: '1.0' }, 400, -32_600],
    ['an id of null', { ...ping, id: null }, 400, -32_600],
    ['params in order', { ...ping, params: ['x'] }, 400, -32_600],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32_600],
    ['a method that is not there', { ...ping, method: 'resources/list' }, 200, -32_601],
    ['a tool that is not there', { ...ping, method: 'tools/call', params: { name: 'resolveAlert' } }, 200, -32_602],
    ['a name of every object', { ...ping, method: 'tools/call', params: { name: 'constructor' } }, 200, -32_602],
  ];
  test.each(bad)('refuses %s', async (_, body, status, code) => {
    expect(await ask({ body })).toMatchObject({ status, body: { error: { code } } });
  });

  test('refuses a body that is too large, has another type or version, or has a duplicate member', async () => {
    const long = { ...ping, params: { text: 'x'.repeat(64 * 1024) } };
    expect((await ask({ body: long })).status).toBe(413);
    expect((await ask({ body: ping, headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    expect((await ask({ body: ping, headers: { 'MCP-Protocol-Version': '2020-01-01' } })).status).toBe(400);
    expect((await ask({ rawBody: '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}' })).status).toBe(400);
  });
});
