import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { afterEach, expect, test } from 'vitest';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createLog } from '../../shared/adapters/log.ts';

const log = createLog('test', () => {});
let server: Server | null = null;
afterEach(() => {
  server?.close();
});

async function call(name: string): Promise<Response> {
  server = getTestServer(name);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

test('a request runs in no domain of the framework', async () => {
  serve('without-domain', log, () => async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return Response.json({ domain: (process as { domain?: unknown }).domain ?? null });
  });
  expect(await (await call('without-domain')).json()).toEqual({ domain: null });
});

test('a handler that fails, at once or later, is answered 500 and leaves the process as it is', async () => {
  for (const [name, fail] of [
    ['fails-at-once', () => Promise.reject(new Error('at once'))],
    ['fails-later', () => new Promise<Response>((_, reject) => setTimeout(() => reject(new Error('later')), 1))],
    [
      'throws',
      () => {
        throw new Error('thrown');
      },
    ],
  ] as const) {
    serve(name, log, () => fail);
    expect((await call(name)).status, name).toBe(500);
    server?.close();
  }
});
