import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { siteAt } from '../../../tools/installation/site.ts';

test('an installation says whether it refuses writes, and what it calls unhealthy', async () => {
  let status = 200;
  const server = createServer((request, response) => {
    response.writeHead(request.method === 'POST' && request.url === '/v1/erasures' ? status : status);
    response.end('{"mqtt":"down"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = siteAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect([await site.refusesWrites(), await site.fault()]).toEqual([false, null]);
  status = 503;
  expect([await site.refusesWrites(), await site.fault()]).toEqual([true, '/ready answered 503 {"mqtt":"down"}']);
  server.close();
  server.closeAllConnections();
  expect([await site.refusesWrites(), await site.fault()]).toEqual([false, '/ready did not answer']);
});
