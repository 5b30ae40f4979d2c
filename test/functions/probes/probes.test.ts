import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProbes } from '../../../functions/probes/probes.ts';
import { type Service, serveHttp } from '../../../local/machine/http-server.ts';
import { redirectMalformedPaths } from '../../../shared/adapters/http/malformed-paths.ts';

const health = { now: () => '2026-11-20T10:00:00.000Z', uptimeSeconds: () => 1, version: '1', error: null };
let server: Service;
beforeAll(async () => {
  redirectMalformedPaths();
  server = await serveHttp(createProbes({ ...health, ready: async () => null }), 0);
});
afterAll(() => server.stop());

test.each([
  ['/healthz', 404, 'not-found'],
  ['/', 404, 'not-found'],
  ['/%zz', 400, 'invalid-request'],
])('%s is refused with a problem of this installation', async (path, status, code) => {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  expect(await response.json()).toMatchObject({ status, code, type: `/docs/problems/${code}` });
});
