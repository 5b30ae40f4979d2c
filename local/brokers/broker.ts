import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes, type AedesOptions, type Client } from 'aedes';
import { subscribedTopics } from '../../bridge/forward/message.ts';
import { defaultClientId } from '../../bridge/settings.ts';
import type { Credential } from '../machine/certificates.ts';
import type { Service } from '../machine/http-server.ts';
import { type Access, bridgeAccount } from './accounts.ts';

/** Where clients connect with TLS. Port 0 chooses a free one. */
export type SecureListener = { port: number; credential: Credential };

export type BrokerOptions = {
  port: number;
  secure?: SecureListener | null;
  access: Access;
  /** Called with one line about each refused client or publication. */
  onRefused?(line: string): void;
};

/** What aedes keeps of its clients. Its types do not name it. */
type Sessions = { addSubscriptions(client: { id: string }, topics: { topic: string; qos: number }[]): Promise<void> };

/** An MQTT 3.1.1 broker. A client that publishes without permission is disconnected, as Mosquitto does. */
export async function startBroker({
  port,
  secure = null,
  access,
  onRefused = () => {},
}: BrokerOptions): Promise<Service & { securePort: number | null }> {
  const broker = await Aedes.createBroker(guarded(access, onRefused));
  // Its sessions are in memory. A real broker still has that of the bridge after a restart, and keeps what comes before the bridge is back.
  const { persistence } = broker as unknown as { persistence: Sessions };
  await persistence.addSubscriptions(
    { id: sessionOf(bridgeAccount, defaultClientId) },
    subscribedTopics.map((topic) => ({ topic, qos: 1 })),
  );
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

const badNameOrPassword = 4;
const longestClientId = 1024;
/**
 * Longest topic or user name in a line about a refusal, in characters. Clients can choose any, and people read the
 * line.
 */
const shownLength = 200;
const shown = (text: string) => JSON.stringify(text.slice(0, shownLength));

/** A client id belongs to its account, so nobody can disconnect another client by using its id. */
function sessionOf(user: string, clientId: string): string {
  return `${user}/${clientId}`;
}

function guarded(access: Access, onRefused: (line: string) => void): AedesOptions {
  const users = new WeakMap<Client, string>();
  const userOf = (client: Client | null) => (client && users.get(client)) ?? '';
  return {
    maxClientsIdLength: longestClientId,
    preConnect: (_client, packet, done) => {
      packet.clientId = sessionOf(packet.username ?? '', packet.clientId || randomUUID());
      done(null, true);
    },
    authenticate: (client, user = '', password = Buffer.alloc(0), done) => {
      if (access.isAccount(user, password)) {
        users.set(client, user);
        return done(null, true);
      }
      onRefused(user === '' ? 'a client without an account' : `a client that has not the password of ${shown(user)}`);
      done(Object.assign(new Error('bad user name or password'), { returnCode: badNameOrPassword }), null);
    },
    authorizePublish: (client, packet, done) => {
      const user = userOf(client);
      if (!access.mayPublish(user, packet.topic)) {
        onRefused(`${shown(user)}, who may not publish to ${shown(packet.topic)}`);
        return done(new Error('not authorized'));
      }
      if (packet.payload.length > access.longestMessage) {
        onRefused(`${shown(user)}, whose message of ${packet.payload.length} bytes is too long`);
        return done(new Error('too long'));
      }
      done();
    },
    authorizeSubscribe: (client, subscription, done) => {
      const user = userOf(client);
      const isAllowed = access.mayHear(user, subscription.topic);
      if (!isAllowed) onRefused(`${shown(user)}, who may not subscribe to ${shown(subscription.topic)}`);
      done(null, isAllowed ? subscription : null);
    },
    authorizeForward: (client, packet) => (access.mayHear(userOf(client), packet.topic) ? packet : null),
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
