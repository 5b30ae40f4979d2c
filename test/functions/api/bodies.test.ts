import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server, type Http2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let headers: Record<string, string>;
let http1: Server;
let http2: Http2Server;
let alertId: string;
beforeAll(async () => {
  api = await startTestApi();
  headers = { authorization: `Bearer ${await api.issuer.token()}`, 'content-type': 'application/json' };
  http1 = createServer(getRequestListener(api.fetch));
  http2 = createHttp2Server(getRequestListener(api.fetch));
  for (const server of [http1, http2]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  http1.close();
  http2.close();
  await api.stop();
});
beforeEach(async () => {
  alertId = await openTestAlert(api.world);
});

const portOf = (server: Server | Http2Server) => (server.address() as AddressInfo).port;
const team = '/v1/teams/night';
const acknowledge = () => `/v1/alerts/${alertId}/acknowledge`;

type Sent = { method: string; path: string; parts: string[]; headers: Record<string, string> };
type Reply = { status: number; body: { code?: string; emails?: string[]; status?: string } };

/** All ways to send a body without a Content-Length. */
const ways: [string, (sent: Sent) => Promise<Reply>][] = [
  [
    'as the stream of a web-standard request',
    async ({ method, path, parts, headers }) => {
      const body = Readable.toWeb(Readable.from(parts.map((part) => Buffer.from(part))));
      const init = { method, headers, body, duplex: 'half' } as RequestInit;
      const response = await api.fetch(new Request(`http://watchpost.test${path}`, init));
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
  ],
  [
    'in chunks of HTTP/1.1',
    ({ method, path, parts, headers }) =>
      new Promise((resolve, reject) => {
        const given = { port: portOf(http1), host: '127.0.0.1', method, path, headers };
        const sent = httpRequest(given, async (response: IncomingMessage) =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) }),
        );
        sent.on('error', reject);
        sent.flushHeaders();
        for (const part of parts) sent.write(part);
        sent.end();
      }),
  ],
  [
    'in frames of HTTP/2',
    async ({ method, path, parts, headers }) => {
      const session = connectHttp2(`http://127.0.0.1:${portOf(http2)}`);
      try {
        const stream = session.request({ ...headers, ':method': method, ':path': path });
        const status = new Promise<number>((resolve, reject) => {
          stream.on('response', ({ ':status': status = 0 }) => resolve(status));
          stream.on('error', reject);
        });
        for (const part of parts) stream.write(part);
        stream.end();
        return { status: await status, body: JSON.parse(await text(stream)) };
      } finally {
        session.close();
      }
    },
  ],
];

describe.each(ways)('a body that comes %s', (_, send) => {
  test('is read', async () => {
    const email = `${Math.random()}@example.com`;
    const parts = ['{"emails":', `["${email}"]}`];
    const { status, body } = await send({ method: 'PUT', path: team, parts, headers });
    expect([[200, 201].includes(status), body.emails]).toEqual([true, [email]]);
    expect((await api.call('GET', team)).body.emails).toEqual([email]);
  });

  test.each([
    ['what is no JSON', ['{"emails":'], {}, 400, 'invalid-request'],
    ['a member that is not known', ['{"emailz":[]}'], {}, 400, 'invalid-request'],
    ['another type', ['{"emails":[]}'], { 'content-type': 'text/plain' }, 415, 'unsupported-media-type'],
    ['a content encoding', ['{"emails":[]}'], { 'content-encoding': 'gzip' }, 415, 'unsupported-media-type'],
    ['more than is taken', Array(5).fill(' '.repeat(16_000)), {}, 413, 'payload-too-large'],
  ])('is refused for %s', async (_, parts, more, status, code) => {
    const answer = await send({ method: 'PUT', path: team, parts, headers: { ...headers, ...more } });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('and is empty counts as no body', async () => {
    const { 'content-type': _, ...plain } = headers;
    const isChunked = send === ways[1]?.[1];
    const sent = { method: 'POST', path: acknowledge(), parts: [], headers: isChunked ? headers : plain };
    expect(await send(sent)).toMatchObject({ status: 200, body: { status: 'acknowledged' } });
  });
});

/** What the HTTP/1 server answers to these bytes until it closes the connection. */
async function answerTo(bytes: string): Promise<string> {
  const socket = connect(portOf(http1), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('an HTTP/1.1 request that announces no body has none: the bytes after it are the next request', async () => {
  const head = (method: string, path: string, more = '') =>
    `${method} ${path} HTTP/1.1\r\nHost: watchpost.test\r\nAuthorization: ${headers['authorization']}\r\n${more}\r\n`;
  const next = head('GET', `/v1/alerts/${alertId}`, 'Connection: close\r\n');
  const answers = await answerTo(head('POST', acknowledge()) + next);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  expect(answers).toContain('"status":"acknowledged"');
});
