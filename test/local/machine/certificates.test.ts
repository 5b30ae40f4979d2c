import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';

test('a client that trusts several authorities of this name accepts the server of each', async () => {
  const authorities = Array.from({ length: 3 }, () => createAuthority(new Date()));
  const ca = authorities.map(({ certificate }) => certificate);
  for (const authority of authorities) {
    const { certificate: cert, key } = createServerCredential(authority, new Date());
    const server = createServer({ cert, key }, (socket) => socket.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: 'localhost', servername: 'localhost', ca });
    await once(socket, 'secureConnect');
    expect(socket.authorized).toBe(true);
    socket.destroy();
    server.close();
  }
});
