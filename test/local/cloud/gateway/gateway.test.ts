import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway } from '../../../../local/cloud/gateway/gateway.ts';
import { readBody, type Service, sendJson, serveHttp } from '../../../../local/machine/http-server.ts';
import { freePort } from '../../../support/net/free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchpost-gateway-'));
const consoleFolder = join(folder, 'dist');
let api: Service;
let probes: Service;
const consoleConfig = { issuer: 'http://127.0.0.1:9', clientId: 'console', audience: 'watchpost' };
let gateway: Service;
let url: string;
let release = () => {};

beforeAll(async () => {
  mkdirSync(join(consoleFolder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'outside');
  writeFileSync(join(consoleFolder, 'index.html'), '<!doctype html>console');
  writeFileSync(join(consoleFolder, 'assets/main-a1b2c3d4.js'), 'go()');
  api = await serveHttp(async (incoming, response) => {
    if (incoming.url === '/v1/stream') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: first\n\n');
      release = () => response.end('data: last\n\n');
      return;
    }
    const { method, url: path, headers } = incoming;
    sendJson(response, 418, { method, path, headers, body: (await readBody(incoming)).toString() });
  }, 0);
  probes = await serveHttp((incoming, response) => sendJson(response, 200, { probes: incoming.url }), 0);
  gateway = await startGateway({ port: 0, apiPort: api.port, probesPort: probes.port, consoleFolder, consoleConfig });
  url = `http://127.0.0.1:${gateway.port}`;
});
afterAll(() => Promise.all([gateway.stop(), api.stop(), probes.stop()]));

/** Requests a path as it is; fetch would normalize it. */
const raw = (path: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port: gateway.port, path }, async (response: IncomingMessage) => {
      resolve({ status: response.statusCode ?? 0, text: (await readBody(response)).toString() });
    })
      .on('error', reject)
      .end();
  });

describe('the API', () => {
  test('gets method, path, body and caller address, and its answer is not changed', async () => {
    const response = await fetch(`${url}/v1/alerts?status=active`, {
      method: 'POST',
      headers: { 'X-Own': 'yes', 'X-Forwarded-For': '203.0.113.7', Authorization: 'Bearer t' },
      body: 'hello',
    });
    expect(response.status).toBe(418);
    expect(await response.json()).toMatchObject({
      method: 'POST',
      path: '/v1/alerts?status=active',
      body: 'hello',
      headers: {
        'x-own': 'yes',
        authorization: 'Bearer t',
        'x-forwarded-for': '203.0.113.7, 127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': `127.0.0.1:${gateway.port}`,
        host: `127.0.0.1:${gateway.port}`,
      },
    });
  });

  test('gets a body without a length', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('in '));
        controller.enqueue(new TextEncoder().encode('pieces'));
        controller.close();
      },
    });
    const response = await fetch(`${url}/v1/alerts`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await response.json()).toMatchObject({ body: 'in pieces' });
  });

  test('streams events as they come', async () => {
    const response = await fetch(`${url}/v1/stream`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('data: first\n\n');
    release();
    expect((await reader?.read())?.value).toBe('data: last\n\n');
  });

  test('that does not answer causes a problem document with status 502', async () => {
    const dead = await startGateway({
      port: 0,
      apiPort: await freePort(),
      probesPort: 1,
      consoleFolder,
      consoleConfig,
    });
    const response = await fetch(`http://127.0.0.1:${dead.port}/v1/alerts`);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status: 502, detail: 'The function api does not answer.' });
    await dead.stop();
  });
});

test.each(['/health', '/ready?x=1'])('%s goes to the probes', async (path) => {
  expect(await (await fetch(`${url}${path}`)).json()).toEqual({ probes: path });
});

describe('the console', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', 'no-cache', '<!doctype html>console'],
    ['/alerts/42', 'text/html; charset=utf-8', 'no-cache', '<!doctype html>console'],
    ['/assets/main-a1b2c3d4.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'go()'],
  ])('answers %s', async (path, type, caching, text) => {
    const response = await fetch(`${url}${path}`);
    const { headers } = response;
    expect([headers.get('content-type'), headers.get('cache-control'), await response.text()]).toEqual([
      type,
      caching,
      text,
    ]);
  });

  test.each([
    '/assets/gone.js',
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%',
    '/a%00b',
    '/..\\secret.txt',
  ])('answers 404 for %s', async (path) => {
    const { status, text } = await raw(path);
    expect(text).not.toContain('outside');
    expect(status === 404 || text.includes('console')).toBe(true);
  });

  test('that is not built yet is replaced by a page that explains it', async () => {
    const bare = await startGateway({
      port: 0,
      apiPort: 1,
      probesPort: 1,
      consoleFolder: join(folder, 'none'),
      consoleConfig,
    });
    const response = await fetch(`http://127.0.0.1:${bare.port}/`);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('/v1/openapi.json')]);
    expect((await fetch(`http://127.0.0.1:${bare.port}/alerts`)).status).toBe(404);
    await bare.stop();
  });

  test('may be rebuilt while files are requested: a missing file is 404 and the gateway keeps running', async () => {
    const file = join(consoleFolder, 'assets/later-a1b2c3d4.js');
    const asking = Array.from({ length: 200 }, async (_, turn) => {
      await new Promise((resolve) => setTimeout(resolve, turn));
      return (await fetch(`${url}/assets/later-a1b2c3d4.js`)).status;
    });
    for (let turn = 0; turn < 100; turn += 1) {
      writeFileSync(file, 'x'.repeat(200_000));
      await new Promise((resolve) => setTimeout(resolve, 1));
      rmSync(file);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const status of await Promise.all(asking)) expect([200, 404]).toContain(status);
  });

  test('answers only GET and HEAD', async () => {
    const response = await fetch(`${url}/`, { method: 'POST', body: 'x' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
