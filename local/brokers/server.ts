import { createPubSubPublisher, type PublisherConfig } from '../cloud/push/publisher.ts';
import type { Service } from '../machine/http-server.ts';
import { type SecureListener, startBroker } from './broker.ts';
import { createDirectPublisher, type DirectConfig } from './direct-publisher.ts';

export type MqttConfig = {
  port: number;
  secure: SecureListener | null;
  to: ({ kind: 'pubsub' } & PublisherConfig) | ({ kind: 'ingest' } & DirectConfig);
};

/** The broker with its bridge: to Pub/Sub, or straight to `ingest` where there is no Pub/Sub. */
export async function startMqtt({ port, secure, to }: MqttConfig): Promise<Service> {
  const publisher = to.kind === 'pubsub' ? createPubSubPublisher(to) : createDirectPublisher(to);
  const broker = await startBroker(port, publisher.publish, secure);
  return {
    port: broker.port,
    stop: async () => {
      await broker.stop();
      await publisher.close();
    },
  };
}
