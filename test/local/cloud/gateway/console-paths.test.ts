import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway } from '../../../../local/cloud/gateway/gateway.ts';
import { type Service, sendJson, serveHttp } from '../../../../local/machine/http-server.ts';
import { consolePages } from '../../../../shared/schema/console-pages.ts';

const consoleConfig = { issuer: 'http://127.0.0.1:9', clientId: 'console', audience: 'watchpost' };
let functions: Service[];
let gateway: Service;
beforeAll(async () => {
  const consoleFolder = mkdtempSync(join(tmpdir(), 'watchpost-paths-'));
  writeFileSync(join(consoleFolder, 'index.html'), 'console');
  writeFileSync(join(consoleFolder, '404.html'), readFileSync('console/public/404.html'));
  const answering = (name: string) => serveHttp((_, response) => sendJson(response, 404, name), 0);
  functions = await Promise.all([answering('api'), answering('probes')]);
  const [apiPort = 0, probesPort = 0] = functions.map(({ port }) => port);
  gateway = await startGateway({ port: 0, apiPort, probesPort, consoleFolder, consoleConfig });
});
afterAll(() => Promise.all([gateway, ...functions].map((each) => each.stop())));

/** What the local gateway answers a path with. */
async function locally(path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`);
  const text = await response.text();
  if (text.includes('There is no such page')) return `nothing ${response.status}`;
  return text === 'console' ? `console ${response.status}` : JSON.parse(text);
}

type Rewrite = { source?: string; regex?: string; destination?: string; run?: { serviceId: string } };
const { rewrites } = JSON.parse(readFileSync('firebase.json', 'utf8')).hosting as { rewrites: Rewrite[] };

/** What Firebase Hosting answers a path with: the first rewrite that matches; without one `404.html`. */
function hosted(path: string): string {
  if (path === '/') return 'console 200';
  const found = rewrites.find(({ source, regex }) =>
    regex === undefined ? new RegExp(`^${source?.replace('*', '[^/]*')}$`).test(path) : new RegExp(regex).test(path),
  );
  if (!found) return 'nothing 404';
  return found.run?.serviceId ?? (found.destination === '/index.html' ? 'console 200' : 'nothing 404');
}

const pages = consolePages.flatMap((page) => [`/${page}`, `/${page}/2f5d7632-0000-4000-8000-000000000000`]);

test.each([...pages, '/'])('the console opens at %s', async (path) => {
  expect([await locally(path), hosted(path)]).toEqual(['console 200', 'console 200']);
});

test.each([
  '/healthz',
  '/livez',
  '/alert',
  '/alerts/1/2',
  '/Alerts',
  '/api/v1/alerts',
  '/v1alerts',
  '/vx/alerts',
  '/index.php',
  '/constructor',
])('%s is no page', async (path) => {
  expect([await locally(path), hosted(path)]).toEqual(['nothing 404', 'nothing 404']);
});

test.each(['/v1', '/v1/', '/v1/nothing', '/v2/alerts', '/V1/alerts', '/v10/alerts', '/mcp', '/metrics', '/t/abc'])(
  'the API answers %s, if only to refuse it',
  async (path) => {
    expect([await locally(path), hosted(path)]).toEqual(['api', 'api']);
  },
);

test.each(['/health', '/ready'])('the probes answer %s', async (path) => {
  expect([await locally(path), hosted(path)]).toEqual(['probes', 'probes']);
});
