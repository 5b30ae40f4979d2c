import { PubSub } from '@google-cloud/pubsub';
import { expect, test } from 'vitest';
import { startBroker } from '../../local/brokers/broker.ts';
import { missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { createCanaries } from '../../shared/adapters/sight/canary-senders.ts';
import { canariesOf, canaryAttribute, canaryText } from '../../shared/domain/sight/canary.ts';
import type { Instant } from '../../shared/domain/time.ts';
import { listenAsBridge } from '../support/bridge/listener.ts';
import { freePort } from '../support/net/free-port.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

const sentAt = '2026-11-20T10:00:00.000Z' as Instant;
const anybody = { isAccount: () => true, mayPublish: () => true, mayHear: () => true, longestMessage: 1e6 };
type Published = { data: Buffer; attributes: Record<string, string>; orderingKey?: string };

test.skipIf(missing)('canaries go through the broker, and through Pub/Sub with an ordering key each', async () => {
  const emulator = await startEmulator('pubsub', { port: await freePort() });
  const heard: { topic: string; text: string }[] = [];
  const broker = await startBroker({ port: 0, access: anybody });
  const listener = await listenAsBridge(broker.port, '', ({ data, attributes }) => {
    heard.push({ topic: JSON.stringify(attributes), text: data.toString() });
  });
  const client = new PubSub({ projectId: 'canary-test', apiEndpoint: emulator.host, emulatorMode: true });
  try {
    const [topic] = await client.createTopic('messages');
    const [subscription] = await topic.createSubscription('ingest', { enableMessageOrdering: true });
    const published: Published[] = [];
    subscription.on('message', (message) => {
      published.push(message);
      message.ack();
    });
    const { senders, seal } = createCanaries({
      projectId: 'canary-test',
      messagesTopic: 'messages',
      pubsubEmulator: emulator.host,
      mqttUrl: `mqtt://127.0.0.1:${broker.port}`,
      pageTokenKeys: [Buffer.alloc(32, 7)],
    });
    const bodyOf = (way: 'ingest' | 'broker', n: number) => {
      const canary = { way, n, sentAt };
      return { canary, body: JSON.stringify({ ...canary, signature: seal.sign(canaryText(canary)) }) };
    };
    for (let n = 0; n < canariesOf.ingest; n += 1) {
      const { canary, body } = bodyOf('ingest', n);
      await senders.ingest?.send(canary, body);
    }
    await expect.poll(() => published.length, { timeout: 30_000 }).toBe(canariesOf.ingest);
    const seen = published.map(({ orderingKey, attributes, data }) => {
      const { n, signature } = JSON.parse(data.toString());
      return { orderingKey, n, attributes, isOurs: seal.verify(canaryText({ way: 'ingest', n, sentAt }), signature) };
    });
    expect(seen.toSorted((a, b) => a.n - b.n)).toEqual(
      [0, 1, 2, 3].map((n) => ({
        orderingKey: `canary-${n}`,
        n,
        attributes: { [canaryAttribute]: 'ingest' },
        isOurs: true,
      })),
    );
    const { canary, body } = bodyOf('broker', 0);
    await senders.broker?.send(canary, body);
    await expect.poll(() => heard).toMatchObject([{ topic: expect.stringContaining('canary'), text: body }]);
    await subscription.close();
  } finally {
    await client.close();
    await listener.stop();
    await broker.stop();
    await emulator.stop();
  }
});
