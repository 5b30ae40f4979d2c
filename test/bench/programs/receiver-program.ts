// An HTTPS receiver that accepts every request immediately and counts them.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';

const now = new Date();
const authority = createAuthority(now);
const { certificate: cert, key } = createServerCredential(authority, now);
let received = 0;
const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.once('end', () => {
    received += 1;
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, certificate: authority.certificate });
});
process.on('message', () => process.send?.({ received }));
process.once('disconnect', () => process.exit());
