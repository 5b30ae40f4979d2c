import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Behaviour } from '../../../../local/cloud/receiver/behaviour.ts';
import type { Receiver } from '../../../../local/cloud/receiver/server.ts';
import { createAuthority, createServerCredential } from '../../../../local/machine/certificates.ts';
import { createOutboundClient, type OutboundClient } from '../../../../shared/adapters/outbound/client.ts';
import { createOutboundGuard } from '../../../../shared/adapters/outbound/guard.ts';
import { startTrustedReceiver } from '../../../support/world/webhooks.ts';

let receiver: Receiver;
let client: OutboundClient;
beforeAll(async () => {
  receiver = await startTrustedReceiver();
  client = createOutboundClient(createOutboundGuard(['localhost', '127.0.0.1']));
});
afterAll(() => receiver.stop());

const send = (url: string, timeoutMs = 5000) =>
  client.send({ url, method: 'POST', headers: { 'X-Custom': 'a' }, body: Buffer.from('{"ü":1}'), timeoutMs });
const sendTo = (hook: string, behaviour: Behaviour, timeoutMs?: number) => {
  receiver.configure(hook, { behaviour });
  return send(receiver.urlOf(hook), timeoutMs);
};

test('an answer comes back with its status and the beginning of its body', async () => {
  expect(await sendTo('ok', { kind: 'ok' })).toEqual({
    statusCode: 200,
    retryAfter: undefined,
    excerpt: 'received\n',
    failure: null,
  });
  const [got] = receiver.received.filter(({ hook }) => hook === 'ok');
  expect(got).toMatchObject({ method: 'POST', body: '{"ü":1}' });
  expect(got?.headers).toMatchObject({ 'x-custom': 'a', 'content-length': '8', host: `localhost:${receiver.port}` });
});

test('a failing status is returned with its Retry-After', async () => {
  expect(await sendTo('busy', { kind: 'fail', status: 503, retryAfter: '120' })).toMatchObject({
    statusCode: 503,
    retryAfter: '120',
    failure: null,
  });
});

test('a redirect is returned and not followed', async () => {
  const location = receiver.urlOf('redirected');
  expect(await sendTo('redirect', { kind: 'redirect', location })).toMatchObject({ statusCode: 302, failure: null });
  expect(receiver.received.filter(({ hook }) => hook === 'redirected')).toEqual([]);
});

test.each<[string, Behaviour, object]>([
  ['never answers', { kind: 'hang' }, { statusCode: null, failure: { errorClass: 'timeout' } }],
  ['answers drop by drop', { kind: 'drip' }, { statusCode: 200, failure: { errorClass: 'timeout' } }],
  ['cuts the connection', { kind: 'reset' }, { statusCode: null, failure: { errorClass: 'connection_reset' } }],
])('a receiver that %s fails within the timeout', async (_, behaviour, expected) => {
  expect(await sendTo('bad', behaviour, 700)).toMatchObject(expected);
});

test('an endless answer is read up to its limit', async () => {
  const answer = await sendTo('endless', { kind: 'endless' });
  expect(answer).toMatchObject({ statusCode: 200, failure: null });
  expect(answer.excerpt).toHaveLength(16 * 1024);
});

test('an answer that would inflate to 32 MiB is inflated to 16 KiB', async () => {
  const answer = await sendTo('bomb', { kind: 'bomb' });
  expect(answer.statusCode).toBe(200);
  expect(answer.excerpt).toHaveLength(16 * 1024);
});

test('a certificate that no trusted authority signed is refused', async () => {
  const keyed = createServerCredential(createAuthority(new Date()), new Date());
  const server = createServer({ cert: keyed.certificate, key: keyed.key }, (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect((await send(`https://localhost:${port}/`)).failure).toMatchObject({ errorClass: 'tls_error' });
  server.close();
});

test('a certificate for another name is refused', async () => {
  const other = createOutboundClient(
    createOutboundGuard(['other.example.com'], async () => [{ address: '127.0.0.1', family: 4 }]),
  );
  const url = `https://other.example.com:${receiver.port}/`;
  const answer = await other.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 5000 });
  expect(answer.failure).toMatchObject({ errorClass: 'tls_error' });
});

test('a server that speaks TLS 1.1 at most is refused', async () => {
  const keyed = createServerCredential(createAuthority(new Date()), new Date());
  const server = createServer(
    { cert: keyed.certificate, key: keyed.key, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
    (_, response) => response.end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect((await send(`https://localhost:${port}/`)).failure).toMatchObject({ errorClass: 'tls_error' });
  server.close();
});

test('a server without TLS, and a closed port, are different failures', async () => {
  const plain = createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy()));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const { port } = plain.address() as AddressInfo;
  expect((await send(`https://localhost:${port}/`)).failure?.errorClass).toMatch(/tls_error|connection_reset/);
  await new Promise((resolve) => plain.close(resolve));
  expect((await send(`https://localhost:${port}/`)).failure).toMatchObject({ errorClass: 'connection_refused' });
});

test('a TLS handshake that never ends is stopped at the timeout', async () => {
  const mute = createTcpServer(() => {});
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as AddressInfo;
  const startedMs = performance.now();
  expect((await send(`https://localhost:${port}/`, 300)).failure).toMatchObject({ errorClass: 'timeout' });
  // The connect timeout of the client is 10 s.
  expect(performance.now() - startedMs).toBeLessThan(8000);
  mute.close();
});

test('a DNS look-up that never ends is stopped at the timeout', async () => {
  const stuck = createOutboundClient(createOutboundGuard([], () => new Promise(() => {})));
  const url = 'https://hooks.example.com/';
  const answer = await stuck.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 200 });
  expect(answer.failure).toMatchObject({ errorClass: 'timeout' });
});

test('proxies in the environment are ignored', async () => {
  process.env['HTTPS_PROXY'] = 'http://127.0.0.1:1';
  process.env['https_proxy'] = 'http://127.0.0.1:1';
  expect((await sendTo('direct', { kind: 'ok' })).statusCode).toBe(200);
  delete process.env['HTTPS_PROXY'];
  delete process.env['https_proxy'];
});
