import { type AddressInfo, createServer } from 'node:net';
import { Aedes } from 'aedes';
import type { Service } from '../http-server.ts';
import { type Publish, toBridgeMessage } from './bridge.ts';

/**
 * An MQTT 3.1.1 broker whose bridge sits inside: a device's message is acknowledged only when the cloud has it. Last wills are
 * bridged too. Any client may publish under any device's topic: it is for trying things out, a real broker's access list
 * ties a client to its topics.
 */
export async function startBroker(port: number, publish: Publish): Promise<Service> {
  const broker = await Aedes.createBroker({
    authorizePublish: (_client, packet, done) => {
      const message = toBridgeMessage(packet.topic, Buffer.from(packet.payload));
      if (message) publish(message).then(() => done(), done);
      else done();
    },
  });
  const server = createServer(broker.handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        broker.close(() => server.close(() => resolve()));
      }),
  };
}
