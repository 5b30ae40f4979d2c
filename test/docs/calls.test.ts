import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../support/world/api.ts';

const execute = promisify(execFile);
const pages = ['docs/events.md', 'docs/registry.md', 'docs/guardian.md', 'docs/start/integrator.md'];
const blocksOf = (page: string, language: string) =>
  [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  );
const calls = pages.flatMap((page) =>
  blocksOf(page, 'sh')
    .filter((code) => code.startsWith('curl '))
    .flatMap((code) => code.split(/\n(?=curl )/).map((call) => ({ page, call: call.trim() }))),
);

let folder: string;
let api: Awaited<ReturnType<typeof startTestApi>>;
let server: Server;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'calls-'));
  // curl must exit with an error if the API refuses a request.
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
  writeFileSync(join(folder, 'devices.csv'), blocksOf('docs/registry.md', 'csv')[0] ?? '');
  api = await startTestApi();
  server = createServer(getRequestListener((request) => api.fetch(request)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.stop();
  rmSync(folder, { recursive: true });
});

test('the pages call the API', () => {
  expect(calls.length).toBeGreaterThan(5);
});

test.each(calls)('$page: the service takes $call', async ({ call }) => {
  const token = await api.issuer.token();
  const { cursor } = (await api.call('GET', '/v1/events?after=now')).body;
  const command = call
    .replaceAll(/https:\/\/watchpost\.example\.com|http:\/\/127\.0\.0\.1:8080/g, url)
    .replaceAll('$(npm run -s token)', '$TOKEN');
  const names = { TOKEN: token, WATCHPOST_TOKEN: token, BASE_URL: url, WATCHPOST_URL: url, CURSOR: cursor };
  const env = { ...process.env, ...names, CURL_HOME: folder };
  const { stdout } = await execute('sh', ['-c', command], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual(expect.any(Object));
});
