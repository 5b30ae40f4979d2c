import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import type { Publish } from '../cloud/push/message.ts';
import type { Credential } from '../machine/certificates.ts';
import type { Service } from '../machine/http-server.ts';
import { toBridgeMessage } from './bridge.ts';

/** Where clients may come with TLS. A port of 0 takes a free one. */
export type SecureListener = { port: number; credential: Credential };

/**
 * An MQTT 3.1.1 broker that contains the bridge: a device's message is acknowledged only when the cloud has it. Last wills are bridged too.
 * Any client may publish under any device's topic, because this broker is for trying things out. A real broker's access list limits a
 * client to its topics.
 */
export async function startBroker(
  port: number,
  publish: Publish,
  secure: SecureListener | null = null,
): Promise<Service & { securePort: number | null }> {
  const broker = await Aedes.createBroker({
    authorizePublish: (_client, packet, done) => {
      const message = toBridgeMessage(packet.topic, Buffer.from(packet.payload));
      if (message) publish(message).then(() => done(), done);
      else done();
    },
  });
  const plain = await listen(createServer(broker.handle), port);
  const tls = secure && (await listenSecurely(secure, broker));
  return {
    port: portOf(plain),
    securePort: tls && portOf(tls),
    stop: async () => {
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      for (const server of [plain, ...(tls ? [tls] : [])]) {
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
    },
  };
}

function listenSecurely({ port, credential }: SecureListener, broker: Aedes): Promise<Server> {
  const server = createTlsServer({ cert: credential.certificate, key: credential.key }, broker.handle);
  // A client that does not trust the certificate disconnects during the handshake, which is no error of the broker.
  server.on('tlsClientError', () => {});
  return listen(server, port);
}

function listen(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
