import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let token: string;
beforeAll(async () => {
  api = await startTestApi();
  token = await api.issuer.token();
  await send('deviceId\n');
});
afterAll(() => api.stop());

const send = (rawBody: string) =>
  api.call('PUT', '/v1/devices?dryRun=true', { token, rawBody, headers: { 'Content-Type': 'text/csv' } });

/** Fills what a table may have, 1 MiB. */
function filled(head: string, piece: string): string {
  return head + piece.repeat(Math.floor((1024 * 1024 - head.length - 1) / piece.length));
}

/** A request for another camera must not wait longer than this, milliseconds. One such table blocked for 1.5 s. */
const longestMs = 300;

test.each([
  ['half a million rows', filled('deviceId\n', 'a\n')],
  ['rows without end of different cameras', filled('deviceId,name\n', 'cam-1,x\n')],
  ['a million columns', filled('deviceId', ',a')],
  ['a million columns of tags', filled('deviceId', ',tag.a')],
  ['rows of a million cells', filled('deviceId\n', 'a,')],
  ['one cell of a megabyte', filled('deviceId\n"', 'a')],
  ['a million empty lines', filled('deviceId\n', '\n')],
])('twelve tables with %s are refused without blocking others', async (_, table) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const { status } = await send(table);
      // Others come in between.
      await new Promise((resolve) => setImmediate(resolve));
      return status;
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  delay.disable();
  const worstMs = delay.max / 1e6;

  score('S7', 'tables that block others', 12, worstMs > longestMs ? 12 : 0);
  expect(worstMs).toBeLessThan(longestMs);
  expect(statuses).toEqual(Array(12).fill(400));
});
