import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createChecks } from '../../../../shared/adapters/probe/checks.ts';
import { issuersOf } from '../../../support/world/issuer.ts';

type Asked = { method: string; path: string; body: string };

/** The requests to the server that stands in for the database and the bucket. */
const asked: Asked[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ method: request.method ?? '', path: request.url ?? '', body });
    response.end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
});

function checks() {
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createChecks({
    projectId: 'p',
    store: 'firestore',
    firestoreDatabase: '(default)',
    firestoreEmulator: host,
    mqttUrl: `mqtt://${host}`,
    framesBucket: 'frames',
    storageEndpoint: `http://${host}`,
    authIssuers: issuersOf({ issuer: `http://${host}` }),
  });
}

test('the probe reads one document of the database and no more, in one request', async () => {
  asked.splice(0);
  await checks().database(AbortSignal.timeout(5000));
  expect(asked).toEqual([
    { method: 'POST', path: '/v1/projects/p/databases/(default)/documents:runQuery', body: expect.any(String) },
  ]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
    structuredQuery: { from: [{ collectionId: 'settings' }], limit: 1 },
  });
});

test('the probe reads only the name of the bucket, and no object', async () => {
  asked.splice(0);
  await checks().storage(AbortSignal.timeout(5000));
  expect(asked).toEqual([{ method: 'GET', path: '/storage/v1/b/frames?fields=name', body: '' }]);
});
