import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendProblem } from '../../../../shared/adapters/http/problem.ts';
import { readJson } from '../../../../shared/adapters/http/request-body.ts';

const maxBytes = 1000;
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    readJson(request, maxBytes).then(
      (body) => response.end(JSON.stringify(body)),
      (error) => sendProblem(response, error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** Sends the parts one by one, with or without a Content-Length header. */
function send(parts: readonly (string | Buffer)[], isAnnounced: boolean): Promise<{ status: number; body: unknown }> {
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const headers = { 'Content-Type': 'application/json', ...(isAnnounced ? { 'Content-Length': length } : {}) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sent.on('error', reject);
    for (const part of parts) sent.write(part);
    sent.end();
  });
}

test.each([true, false])('a body that comes in parts is read whole (length announced: %s)', async (isAnnounced) => {
  const { status, body } = await send(['{"text":"ä', 'b', 'ö"}'], isAnnounced);
  expect([status, body]).toEqual([200, { text: 'äbö' }]);
});

test.each([true, false])('a body beyond the bound is answered 413 (length announced: %s)', async (isAnnounced) => {
  const { status, body } = await send(['{"text":"', 'x'.repeat(900), 'y'.repeat(200), '"}'], isAnnounced);
  expect([status, body]).toMatchObject([413, { code: 'payload-too-large' }]);
});

test('no body, and one that is no UTF-8, are answered 400', async () => {
  expect((await send([], true)).status).toBe(400);
  expect((await send(['{"text":"', Buffer.from([0xc3, 0x28]), '"}'], false)).status).toBe(400);
});

test.each([null, new Error('reset')])('a body that breaks off (%s) is refused', async (error) => {
  const source = new PassThrough();
  const read = readJson(source, maxBytes);
  source.write('{"text":');
  source.destroy(error ?? undefined);
  await expect(read).rejects.toMatchObject({ code: 'invalid-request', message: 'The body breaks off.' });
});
