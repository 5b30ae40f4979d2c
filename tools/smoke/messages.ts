import { publishOnce } from '../../shared/adapters/mqtt/connect.ts';

/** Sends messages like a camera, through the broker, or like its bridge. */
export type Messages = { send(deviceId: string, kind: string, body: object): Promise<void>; close(): Promise<void> };

const sendLimitMs = 10_000;

/**
 * Sends by MQTT on the topic of a camera.
 * @param topic for a dialect with other topics, with `{deviceId}` and `{kind}`
 */
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

/**
 * Publishes directly like a bridge with the dialect `native`.
 * @param name `projects/P/topics/T`
 */
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
