import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { getRequestListener } from '@hono/node-server';
import { afterEach, expect, test } from 'vitest';
import { serve } from '../../../../shared/adapters/http/serve.ts';
import { createLog } from '../../../../shared/adapters/log.ts';

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

test('a request runs outside of the framework’s Node domain', async () => {
  serve('without-domain', log, () => async (_, response) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    response.end(JSON.stringify({ domain: (process as { domain?: unknown }).domain ?? null }));
  });
  expect(await (await call('without-domain')).json()).toEqual({ domain: null });
});

test('a handler of the API that fails, at once or later, is answered 500 and leaves the process as it is', async () => {
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
    serve(name, log, () => getRequestListener(fail));
    expect((await call(name)).status, name).toBe(500);
    server?.close();
  }
});

test('a function that cannot be created ends its process with one log line', () => {
  const lines: string[] = [];
  let ended = 0;
  const refused = () => {
    throw new Error('Settings refused: CALLERS is required.');
  };
  serve(
    'refused',
    createLog('test', (line) => lines.push(line)),
    refused,
    () => {
      ended += 1;
    },
  );
  expect(ended).toBe(1);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { severity: 'ERROR', message: 'service.refused', error: 'Settings refused: CALLERS is required.' },
  ]);
  expect(() => getTestServer('refused')).toThrow();
});
