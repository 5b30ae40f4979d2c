import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../../shared/adapters/http/serve.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let server: Server;
let token: string;
beforeAll(async () => {
  api = await startTestApi();
  token = await api.issuer.token();
  // The function as the platform runs it: framework, listener and router.
  serve('slow-senders', api.world.log, () => getRequestListener(api.fetch));
  server = getTestServer('slow-senders');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.stop();
});

/** What a connection received before it was closed, and how much it sent. */
type Ended = { answer: string; sentBytes: number };

/** Sends the beginning, then `more` repeatedly (`everyMs` 0: as fast as possible), until the server closes the connection or the test ends. */
function send(beginning: string, more: { text: string; everyMs: number } | null): Promise<Ended> {
  return new Promise((resolve) => {
    let answer = '';
    let sentBytes = 0;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const write = (text: string) => {
      socket.write(text, (error) => {
        if (!error) sentBytes += text.length;
        if (more?.everyMs === 0 && !error && socket.writable) setImmediate(write, more.text);
      });
    };
    const timer =
      more && more.everyMs > 0 ? setInterval(() => socket.writable && write(more.text), more.everyMs) : null;
    write(beginning);
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (timer) clearInterval(timer);
      resolve({ answer, sentBytes });
    });
  });
}

const head = (length: string, path = '/v1/webhooks', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: watchpost.test\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${length}\r\n${more}\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const statusOf = ({ answer }: Ended) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

test('a body that comes too slowly is answered 408 and its connection closed, however many there are', async () => {
  const senders = [
    () => send(head('Content-Length: 50'), null),
    () => send(`${head('Content-Length: 50')}{`, null),
    () => send(head('Content-Length: 5000'), { text: 'a', everyMs: 200 }),
    () => send(head('Transfer-Encoding: chunked'), null),
    () => send(head('Transfer-Encoding: chunked'), { text: chunk('a'), everyMs: 200 }),
    () => send(`${head('Transfer-Encoding: chunked')}${chunk('{"url":')}ffff\r\n`, { text: 'a', everyMs: 500 }),
  ];
  const ended = await Promise.all(senders.flatMap((start) => Array.from({ length: 8 }, start)));
  const through = ended.filter((each) => statusOf(each) !== 408);
  score('S7', 'bodies that come slowly', ended.length, through.length);
  expect(through).toEqual([]);
  for (const { answer } of ended) expect(answer).toContain('request-timeout');
});

test('an endless chunked body is refused, and the memory for all of them together is bounded', async () => {
  const text = chunk(`"${'a'.repeat(16 * 1024 - 2)}"`);
  const before = kept();
  let most = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, kept() - before);
  }, 20);
  const ended = await Promise.all(
    Array.from({ length: 20 }, () => send(head('Transfer-Encoding: chunked'), { text, everyMs: 0 })),
  );
  // A sender that continues after the refusal may lose the answer (status 0) when the connection closes.
  const through = ended.filter((each) => ![413, 0].includes(statusOf(each)) || each.sentBytes > 128 * 1024 * 1024);
  score('S7', 'chunks without end', ended.length, through.length);
  expect(through.map(statusOf)).toEqual([]);
  // A body ends after its Content-Length, and the bytes behind it are no valid request. Two lengths, or a length with chunks, are refused.
  const longer = await Promise.all([
    ...Array.from({ length: 5 }, () => send(head('Content-Length: 10'), { text: 'a'.repeat(16 * 1024), everyMs: 0 })),
    send(head('Content-Length: 10\r\nTransfer-Encoding: chunked'), { text, everyMs: 0 }),
    send(head('Content-Length: 10\r\nContent-Length: 20'), { text, everyMs: 0 }),
  ]);
  const isTaken = (each: Ended) => ![400, 0].includes(statusOf(each));
  score('S7', 'bodies longer than announced', longer.length, longer.filter(isTaken).length);
  expect(longer.filter(isTaken)).toEqual([]);
  clearInterval(sampling);
  expect(most).toBeLessThan(256 * 1024 * 1024);
});

/** Bytes of memory that this process uses. */
function kept(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a request whose header section is endless or too large never reaches a handler', async () => {
  const lines = api.world.lines.length;
  const many = Array.from({ length: 100_000 }, (_, index) => `X-${index}: a\r\n`).join('');
  const keys = Array.from({ length: 100_000 }, (_, index) => `k${index}=1`).join('&');
  const oversize = await Promise.all([
    send(head('Content-Length: 0', '/v1/webhooks', many), null),
    send(head('Content-Length: 0', `/v1/alerts?${keys}`), null),
    send(`GET /${'a'.repeat(1_000_000)}`, null),
    send(`GET / HTTP/1.1\r\nX-A: ${'a'.repeat(1_000_000)}`, null),
  ]);
  expect(oversize.map(statusOf)).toEqual([431, 431, 431, 431]);
  // Node closes connections that have not sent their head after this time. It checks them twice a minute.
  expect(server.headersTimeout).toBeGreaterThan(0);
  expect(server.headersTimeout).toBeLessThanOrEqual(60_000);
  expect(server.requestTimeout).toBeGreaterThan(0);
  expect(server.requestTimeout).toBeLessThanOrEqual(300_000);
  const usual = server.headersTimeout;
  server.headersTimeout = 1000;
  const slow = await Promise.all([
    send('', null),
    send('POST /v1/webhooks HTTP/1.1\r\nHost: a\r\n', null),
    send('POST /v1/webhooks HTTP/1.1\r\nHost: a\r\n', { text: 'X-A: a\r\n', everyMs: 300 }),
    send('P', null),
  ]);
  server.headersTimeout = usual;
  expect(slow.map(statusOf).filter((status) => ![0, 408].includes(status))).toEqual([]);
  expect(api.world.lines.slice(lines)).toEqual([]);
  score('S7', 'heads without end', oversize.length + slow.length, 0);
});

test('a body of 100,000 keys is refused, and the API answers as before', async () => {
  const members = `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`)}}`;
  const small = `{${Array.from({ length: 5000 }, (_, index) => `"k${index}":1`)}}`;
  const ended = await Promise.all([
    send(`${head(`Content-Length: ${members.length}`, undefined, 'Connection: close\r\n')}${members}`, null),
    send(`${head('Transfer-Encoding: chunked', undefined, 'Connection: close\r\n')}${chunk(members)}0\r\n\r\n`, null),
    send(`${head(`Content-Length: ${small.length}`, undefined, 'Connection: close\r\n')}${small}`, null),
  ]);
  expect(ended.map(statusOf)).toEqual([413, 413, 400]);
  // The answer does not list every faulty key: it stays readable for a person.
  for (const { answer } of ended) expect(answer.length).toBeLessThan(64 * 1024);
  score('S7', 'bodies of very many keys', ended.length, 0);
  const { port } = server.address() as AddressInfo;
  expect((await fetch(`http://127.0.0.1:${port}/v1/openapi.json`)).status).toBe(200);
});
