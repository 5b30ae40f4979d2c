import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { documentedAccess } from '../../../local/brokers/accounts.ts';
import { startBroker } from '../../../local/brokers/broker.ts';
import { passwordOf } from '../../../local/cloud/secrets.ts';
import { listenAsBridge } from '../../support/bridge/listener.ts';

const accountsKey = 'key';
const published: string[] = [];
const refused: string[] = [];
const clients: MqttClient[] = [];
let listener: Awaited<ReturnType<typeof listenAsBridge>>;
let broker: Awaited<ReturnType<typeof startBroker>>;

beforeAll(async () => {
  const access = documentedAccess(accountsKey);
  broker = await startBroker({ port: 0, access, onRefused: (line) => refused.push(line) });
  listener = await listenAsBridge(
    broker.port,
    accountsKey,
    ({ attributes, data }) => void published.push(`${attributes['deviceId']} ${attributes['kind']} ${data.toString()}`),
  );
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
  published.length = 0;
  refused.length = 0;
});
afterAll(async () => {
  await listener.stop();
  await broker.stop();
});

async function connect(username: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(
    `mqtt://127.0.0.1:${broker.port}`,
    { username, password: passwordOf(accountsKey, username), reconnectPeriod: 0, ...options },
    false,
  );
  client.on('error', () => {});
  clients.push(client);
  return client;
}
const closed = (client: MqttClient) => new Promise<void>((resolve) => client.once('close', () => resolve()));
const until = (holds: () => boolean) => expect.poll(holds, { timeout: 10_000, interval: 10 }).toBe(true);

test('a camera publishes on its own topics; another topic is refused and logged, and ends its connection', async () => {
  const camera = await connect('cam-1');
  await camera.publishAsync('devices/cam-1/status', 'own', { qos: 1 });
  for (const topic of ['devices/cam-2/status', 'guardians/cam-1/alert', 'watchpost/canary', '$SYS/x']) {
    const liar = await connect('cam-1', { clientId: 'liar' });
    const gone = closed(liar);
    liar.publish(topic, 'lie', { qos: 1 }, () => {});
    await gone;
  }
  await camera.publishAsync('devices/cam-1/status', 'again', { qos: 1 });
  await expect.poll(() => published).toEqual(['cam-1 status own', 'cam-1 status again']);
  expect(refused).toContain('"cam-1", who may not publish to "devices/cam-2/status"');
  expect(refused).toHaveLength(4);
});

test('a last will on the topic of another camera is refused', async () => {
  const will = { payload: Buffer.from('gone'), qos: 1 as const, retain: false };
  const liar = await connect('cam-1', { will: { topic: 'devices/cam-2/connection', ...will } });
  const honest = await connect('cam-2', { will: { topic: 'devices/cam-2/connection', ...will } });
  liar.stream.destroy();
  honest.stream.destroy();
  await until(() => published.length === 1 && refused.length === 1);
  await expect.poll(() => published).toEqual(['cam-2 connection gone']);
  expect(refused).toEqual(['"cam-1", who may not publish to "devices/cam-2/connection"']);
});

test.each([
  ['with no account', {}],
  ['with no password', { username: 'cam-1' }],
  ['with the password of another', { username: 'cam-1', password: passwordOf(accountsKey, 'cam-2') }],
  ['with the password of another stack', { username: 'cam-1', password: passwordOf('other', 'cam-1') }],
])('a client %s is refused', async (_how, options) => {
  const coming = connectAsync(`mqtt://127.0.0.1:${broker.port}`, { reconnectPeriod: 0, ...options }, false);
  await expect(coming).rejects.toThrow(/Bad username or password/i);
  expect(refused).toHaveLength(1);
});

test('a client with the client id of another account does not disconnect it', async () => {
  const camera = await connect('cam-1', { clientId: 'cam-1' });
  await connect('cam-2', { clientId: 'cam-1' });
  await camera.publishAsync('devices/cam-1/status', 'still here', { qos: 1 });
  await expect.poll(() => published).toEqual(['cam-1 status still here']);
});

test('a camera cannot subscribe to anything; the bridge receives messages of devices and guardians', async () => {
  const [camera, bridge] = [await connect('cam-1'), await connect('bridge')];
  const heard: string[] = [];
  camera.on('message', (topic) => heard.push(`camera ${topic}`));
  bridge.on('message', (topic) => heard.push(`bridge ${topic}`));
  await bridge.subscribeAsync(['devices/+/+', 'guardians/+/+'], { qos: 1 });
  const granted = await camera.subscribeAsync(['#', 'devices/+/+', 'devices/cam-1/status'], { qos: 1 }).catch(() => []);
  expect(granted.filter(({ qos }) => qos !== 128)).toEqual([]);
  const other = await connect('cam-2');
  await other.publishAsync('devices/cam-2/status', 'x', { qos: 1, retain: true });
  await camera.publishAsync('devices/cam-1/status', 'x', { qos: 1 });
  await until(() => heard.length === 2 && published.length === 2);
  expect(heard.toSorted()).toEqual(['bridge devices/cam-1/status', 'bridge devices/cam-2/status']);
  expect(refused.filter((line) => line.includes('subscribe'))).toHaveLength(3);
});

test('a message that is too large for Pub/Sub is dropped and does not block later messages', async () => {
  const liar = await connect('cam-1');
  const gone = closed(liar);
  liar.publish('devices/cam-1/event', Buffer.alloc(1_048_577), { qos: 1 }, () => {});
  await gone;
  const camera = await connect('cam-1');
  await camera.publishAsync('devices/cam-1/event', 'short', { qos: 1 });
  await expect.poll(() => published).toEqual(['cam-1 event short']);
  expect(refused).toEqual(['"cam-1", whose message of 1048577 bytes is too long']);
});

test('a topic of a client is quoted and shortened in the log', async () => {
  const liar = await connect('cam-1');
  const gone = closed(liar);
  liar.publish(`devices/${'x'.repeat(5000)}/a\nrefused: "cam-2"`, 'lie', { qos: 1 }, () => {});
  await gone;
  expect(refused).toHaveLength(1);
  expect(refused[0]).not.toContain('\n');
  expect(refused[0]?.length).toBeLessThan(300);
});
