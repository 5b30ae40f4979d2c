import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Bridge, startBridge } from '../../bridge/bridge.ts';
import { createPublisher } from '../../bridge/forward/publisher.ts';
import { createLog } from '../../bridge/process/log.ts';
import { createMetrics } from '../../bridge/process/metrics.ts';
import { startBroker } from '../../local/brokers/broker.ts';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { startIssuer } from '../../local/cloud/issuer.ts';
import { connectPubSub } from '../../local/cloud/push/client.ts';
import { startPush } from '../../local/cloud/push/server.ts';
import type { Service } from '../../local/machine/http-server.ts';
import { bridgeSettings } from '../support/bridge/settings.ts';
import { freePort } from '../support/net/free-port.ts';

type Pushed = {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  message: { messageId: string; publishTime: string; attributes: Record<string, string>; orderingKey?: string };
  subscription: string;
  deliveryAttempt?: number;
};

/** Allows everything, because these tests are about what happens after the access list. */
const anybody = { isAccount: () => true, mayPublish: () => true, mayHear: () => true, longestMessage: 1e6 };

const quiet = createLog(() => {});

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

describe.skipIf(missing)('a device message', () => {
  const calls: Pushed[] = [];
  /** Calls that were handled. If a busy machine extends a lease too late, Pub/Sub delivers the message again, and the call is not counted. */
  const handled = new Set<string>();
  let answer: (call: Pushed) => number | Promise<number> = () => 204;
  const ingest = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const { message, ...rest } = JSON.parse(Buffer.concat(chunks).toString());
      const text = Buffer.from(message.data, 'base64').toString();
      const call = { path: request.url ?? '', headers: request.headers, text, message, ...rest };
      const { messageId, publishTime } = message;
      const name = [messageId, publishTime, call.path, call.deliveryAttempt].join(' ');
      const isRepeat = handled.has(name);
      handled.add(name);
      if (!isRepeat) calls.push(call);
      response.writeHead(isRepeat ? 204 : await answer(call)).end();
    });
  });

  let pubsubPort: number;
  let emulator: Emulator;
  let issuer: Service;
  let push: Awaited<ReturnType<typeof startPush>>;
  let bridge: Bridge;
  let broker: Service;
  let mqttUrl: string;
  let camera: MqttClient;

  beforeAll(async () => {
    await new Promise<void>((resolve) => ingest.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(ingest.address() as AddressInfo).port}`;
    pubsubPort = await freePort();
    emulator = await startEmulator('pubsub', { port: pubsubPort });
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const signingKey = { ...(await exportJWK(privateKey)), kid: 'k', alg: 'RS256' };
    issuer = await startIssuer({ port: 0, signingKey, audience: 'watchpost', scope: '' });
    const names = { projectId: 'push-test', pubsubHost: emulator.host };
    const waits = { backoffMs: 5, longestBackoffMs: 30_000 };
    push = await startPush({
      ...names,
      issuer: `http://127.0.0.1:${issuer.port}`,
      email: 'push@push-test',
      audience: url,
      subscriptions: [
        {
          topic: 'messages',
          name: 'messages-ingest',
          url: `${url}/`,
          deadLetterTopic: 'dead',
          maxAttempts: 5,
          ...waits,
        },
        {
          topic: 'dead',
          name: 'dead-ingest',
          url: `${url}/dead-letter`,
          deadLetterTopic: null,
          maxAttempts: null,
          ...waits,
        },
      ],
    });
    broker = await startBroker({ port: 0, access: anybody });
    mqttUrl = `mqtt://127.0.0.1:${broker.port}`;
    const env = {
      MQTT_USERNAME: 'bridge',
      GOOGLE_CLOUD_PROJECT: names.projectId,
      MESSAGES_TOPIC: 'messages',
      PACK_ABOVE: '0',
      PUBSUB_EMULATOR_HOST: names.pubsubHost,
    };
    bridge = await startBridge(bridgeSettings(mqttUrl, env), quiet);
    camera = await connectAsync(mqttUrl);
  });
  afterAll(async () => {
    await camera?.endAsync(true);
    await bridge?.stop();
    await broker?.stop();
    await push?.stop();
    await issuer?.stop();
    await emulator?.stop();
    ingest.close();
  });
  beforeEach(() => {
    calls.length = 0;
    answer = () => 204;
  });
  const called = (count: number) => expect.poll(() => calls.length, { timeout: 50_000, interval: 10 }).toBe(count);

  test('reaches ingest in the form of a Pub/Sub push, with the token of the caller', async () => {
    await camera.publishAsync('devices/cam-1/status', Buffer.from([0, 255, 10]), { qos: 1 });
    await called(1);
    expect(calls[0]).toMatchObject({
      path: '/',
      message: { attributes: { deviceId: 'cam-1', kind: 'status' }, orderingKey: 'cam-1', data: 'AP8K' },
      subscription: 'projects/push-test/subscriptions/messages-ingest',
      deliveryAttempt: 1,
    });
    expect(calls[0]?.message.messageId).toMatch(/^\d+$/);
    expect(Date.now() - Date.parse(calls[0]?.message.publishTime ?? '')).toBeLessThan(60_000);
    const [, payload = ''] = calls[0]?.headers.authorization?.split('.') ?? [];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims).toMatchObject({
      email: 'push@push-test',
      email_verified: true,
      aud: expect.stringMatching(/^http:/),
    });
  });

  test('keeps the order of its device, whatever fails between', async () => {
    const failing = new Set([3, 7, 8]);
    answer = ({ text }) => (failing.delete(Number(text)) ? 500 : 204);
    const sent = Array.from({ length: 20 }, (_unused, n) => n);
    await Promise.all(sent.map((n) => camera.publishAsync('devices/cam-1/status', String(n), { qos: 1 })));
    await called(23);
    const taken = calls.filter((call, index) => calls.findLastIndex(({ text }) => text === call.text) === index);
    expect(taken.map(({ text }) => Number(text))).toEqual(sent);
    expect(calls.filter(({ text }) => text === '3').map(({ deliveryAttempt }) => deliveryAttempt)).toEqual([1, 2]);
  });

  test('does not wait for the messages of other devices, of which 64 are handled at once', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    answer = () => gate.then(() => 204);
    const sent = Array.from({ length: 200 }, (_unused, n) => `devices/cam-${n}/status`);
    await Promise.all(sent.map((topic) => camera.publishAsync(topic, '{}', { qos: 1 })));
    await called(64);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(calls).toHaveLength(64);
    open();
    await called(200);
  });

  test('is forwarded as a dead letter after the fifth refusal, and the next one goes on', async () => {
    answer = ({ path, text }) => (path === '/' && text === 'poison' ? 503 : 204);
    await camera.publishAsync('devices/cam-2/event', 'poison', { qos: 1 });
    await camera.publishAsync('devices/cam-2/event', 'good', { qos: 1 });
    await called(7);
    const dead = calls.find(({ path }) => path === '/dead-letter');
    expect(dead?.text).toBe('poison');
    expect(dead).not.toHaveProperty('deliveryAttempt');
    expect(dead?.message).toMatchObject({
      orderingKey: 'cam-2',
      attributes: {
        deviceId: 'cam-2',
        kind: 'event',
        CloudPubSubDeadLetterSourceDeliveryCount: '5',
        CloudPubSubDeadLetterSourceSubscription: 'messages-ingest',
        CloudPubSubDeadLetterSourceSubscriptionProject: 'push-test',
      },
    });
    expect(calls.filter(({ text }) => text === 'good')).toHaveLength(1);
  });

  test('of a device with a name that is too long is bridged, and its name cut', async () => {
    await camera.publishAsync(`devices/${'ü'.repeat(600)}/status`, '', { qos: 1 });
    await called(1);
    expect(calls[0]?.message.attributes).toEqual({ deviceId: 'ü'.repeat(512), kind: 'status' });
    expect(Buffer.byteLength(calls[0]?.message.orderingKey ?? '')).toBeLessThanOrEqual(1024);
  });

  test('outside devices/ stays with the broker', async () => {
    await camera.publishAsync('elsewhere/cam-1/status', 'x', { qos: 1 });
    await camera.publishAsync('devices/cam-1/status', 'y', { qos: 1 });
    await called(1);
    expect(calls[0]?.text).toBe('y');
  });

  test('that is a last will is sent when the connection breaks, not when it ends in good order', async () => {
    const will = { topic: 'devices/cam-3/connection', payload: Buffer.from('gone'), qos: 1 as const, retain: false };
    const polite = await connectAsync(mqttUrl, { will });
    await polite.endAsync();
    const broken = await connectAsync(mqttUrl, { will, reconnectPeriod: 0 });
    broken.stream.destroy();
    await called(1);
    expect(calls[0]?.text).toBe('gone');
  });

  test('survives a restart of Pub/Sub in order', {
    timeout: 120_000,
  }, async () => {
    process.kill(emulator.pid, 'SIGKILL');
    await emulator.exited;
    const status = () => fetch(`http://127.0.0.1:${bridge.port}/readyz`);
    await Promise.all([1, 2, 3].map((n) => camera.publishAsync('devices/cam-4/status', String(n), { qos: 1 })));
    await expect.poll(async () => (await status()).status, { timeout: 50_000 }).toBe(503);
    expect(await (await status()).json()).toMatchObject({ problems: { pubsub: expect.stringMatching(/./) } });
    emulator = await startEmulator('pubsub', { port: pubsubPort });
    await expect.poll(() => new Set(calls.map(({ text }) => text)).size, { timeout: 50_000 }).toBe(3);
    expect(calls.map(({ text }) => Number(text)).filter((n, index, all) => all.indexOf(n) === index)).toEqual([
      1, 2, 3,
    ]);
  });

  test('waits where Pub/Sub has the topic but nobody who would be handed it', async () => {
    const project = { projectId: 'push-test-unfollowed', pubsubHost: emulator.host };
    const client = connectPubSub(project.projectId, project.pubsubHost);
    const [topic] = await client.createTopic('messages');
    const where = { projectId: project.projectId, topic: 'messages', emulator: project.pubsubHost };
    const early = await createPublisher(where, quiet, createMetrics());
    let isTaken = false;
    const published = early.publish({ data: Buffer.from('early'), attributes: {}, orderingKey: 'cam-6' }).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isTaken).toBe(false);
    const [subscription] = await topic.createSubscription('late');
    await published;
    const handed = new Promise<string>((resolve) => {
      subscription.on('message', (message) => {
        message.ack();
        resolve(message.data.toString());
      });
    });
    expect(await handed).toBe('early');
    await subscription.close();
    await Promise.all([early.close(), client.close()]);
  });

  test('waits for a function that is just being started, without counting an attempt', async () => {
    const { port } = ingest.address() as AddressInfo;
    ingest.closeAllConnections();
    await new Promise((resolve) => ingest.close(resolve));
    await camera.publishAsync('devices/cam-5/status', 'early', { qos: 1 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await new Promise<void>((resolve) => ingest.listen(port, '127.0.0.1', resolve));
    await called(1);
    expect(calls[0]).toMatchObject({ text: 'early', deliveryAttempt: 1 });
  });
});
