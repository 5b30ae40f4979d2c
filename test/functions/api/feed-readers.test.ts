import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLimits } from '../../../shared/adapters/http/limits.ts';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
const server = createServer((request, response) =>
  getRequestListener((given, env) => api.fetch(given, env))(request, response),
);
let token: string;
const tails = { begun: 0 };
beforeAll(async () => {
  api = await startTestApi(
    undefined,
    [],
    undefined,
    createLimits(() => performance.now(), 1_000_000),
  );
  const { tail } = api.world.store;
  api.world.store.tail = (asked) => {
    tails.begun += 1;
    return tail(asked);
  };
  token = await api.issuer.token();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close().closeAllConnections();
  await api.stop();
});

/** A reader that waits for events. `crash` cuts its connection. */
function reader(path = '/v1/events?after=now&wait=25') {
  const { port } = server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, path, headers: { Authorization: `Bearer ${token}` } });
  request.on('error', () => {});
  const answered = new Promise<number>((resolve) =>
    request.once('response', (answer) => resolve(answer.statusCode ?? 0)),
  );
  return { answered, crash: () => request.destroy() };
}
const begun = async (more: number) => {
  const from = tails.begun;
  await expect.poll(() => tails.begun - from, { interval: 2, timeout: 5000 }).toBeGreaterThanOrEqual(more);
};

test('a reader that is killed 20 times is never refused, and polling ends with it', async () => {
  for (let count = 0; count < 20; count += 1) {
    const waiting = reader();
    const first = await Promise.race([waiting.answered, begun(2).then(() => 'waits')]);
    expect([count, first]).toEqual([count, 'waits']);
    waiting.crash();
  }
  await expect
    .poll(
      async () => {
        const before = tails.begun;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return tails.begun - before;
      },
      { timeout: 5000 },
    )
    .toBe(0);
});

test('readers of the feed and streams of the console have places of their own', async () => {
  const readers = [1, 2, 3, 4].map(() => reader());
  await begun(8);
  expect(await reader().answered).toBe(429);
  const stream = reader('/v1/stream');
  expect(await stream.answered).toBe(200);
  for (const each of [...readers, stream]) each.crash();
});
