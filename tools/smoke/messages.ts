import { publishOnce } from '../../shared/adapters/mqtt/connect.ts';

/** Brings messages in as cameras do: through the broker, or as its bridge writes them. */
export type Messages = { send(deviceId: string, kind: string, body: object): Promise<void>; close(): Promise<void> };

const sendLimitMs = 10_000;

/** By MQTT, on the topic of a camera. @param topic where the dialect names topics in another way, with `{deviceId}` and `{kind}` in it */
export function throughBroker(url: string, topic: string): Messages {
  return {
    send: (deviceId, kind, body) =>
      publishOnce(
        url,
        topic.replace('{deviceId}', deviceId).replace('{kind}', kind),
        JSON.stringify(body),
        AbortSignal.timeout(sendLimitMs),
      ),
    close: async () => {},
  };
}

/** Past the broker, as a bridge with the dialect `native` publishes. @param name `projects/P/topics/T` */
export async function throughPubSub(name: string): Promise<Messages> {
  const { PubSub } = await import('@google-cloud/pubsub');
  const [, projectId = ''] = name.split('/');
  const client = new PubSub({ projectId });
  const topic = client.topic(name, { messageOrdering: true, batching: { maxMessages: 1 } });
  return {
    async send(deviceId, kind, body) {
      const data = Buffer.from(JSON.stringify(body));
      await topic.publishMessage({ data, attributes: { deviceId, kind }, orderingKey: deviceId });
    },
    close: () => client.close(),
  };
}
