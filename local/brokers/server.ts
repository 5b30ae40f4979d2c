import { createPubSubPublisher, type PublisherConfig } from '../cloud/push/publisher.ts';
import type { Service } from '../machine/http-server.ts';
import { documentedAccess } from './accounts.ts';
import { type SecureListener, startBroker } from './broker.ts';
import { createDirectPublisher, type DirectConfig } from './direct-publisher.ts';

export type MqttConfig = {
  port: number;
  secure: SecureListener | null;
  accountsKey: string;
  to: ({ kind: 'pubsub' } & PublisherConfig) | ({ kind: 'ingest' } & DirectConfig);
};

/** The broker with its bridge to Pub/Sub, or directly to `ingest` without Pub/Sub. */
export async function startMqtt({ port, secure, accountsKey, to }: MqttConfig): Promise<Service> {
  const publisher = to.kind === 'pubsub' ? createPubSubPublisher(to) : createDirectPublisher(to);
  const access = documentedAccess(accountsKey);
  const onRefused = (line: string) => console.error(`${new Date().toISOString()} refused: ${line}`);
  const broker = await startBroker({ port, secure, access, onRefused }, publisher.publish);
  return {
    port: broker.port,
    stop: async () => {
      await broker.stop();
      await publisher.close();
    },
  };
}
