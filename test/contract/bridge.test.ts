import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { PubSub } from '@google-cloud/pubsub';
import { connect, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBridge } from '../../bridge/bridge.ts';
import { createLog } from '../../bridge/process/log.ts';
import { startBroker } from '../../local/brokers/broker.ts';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { connectPubSub } from '../../local/cloud/push/client.ts';
import { isPack, unpacked } from '../../shared/domain/intake/pack.ts';
import { buildBridge } from '../../tools/build/bridge.ts';
import { passwordAt, startDocumentedMosquitto } from '../support/bridge/mosquitto.ts';
import { bridgeSettings } from '../support/bridge/settings.ts';
import { startTcpProxy, type TcpProxy } from '../support/faults/tcp-proxy.ts';
import { hasMosquitto } from '../support/guardian/mosquitto.ts';
import { freePort } from '../support/net/free-port.ts';

const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);
if (!hasMosquitto) console.log('mosquitto is not on PATH: the bridge is tried with the local broker only.');

const cameras = ['cam-1', 'cam-2', 'cam-3', 'cam-4'];
const projectId = 'bridge-contract';
const windowOfTest = 200;
const anybody = { isAccount: () => true, mayPublish: () => true, mayHear: () => true, longestMessage: 1e6 };
const folder = mkdtempSync(join(tmpdir(), 'watchpost-bridge-'));
/** What the image contains. */
const bundle = join(folder, 'bridge.cjs');
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Broker = { url: string; port: number; caFile: string | null; stop(): Promise<unknown> };

async function startMosquitto(): Promise<Broker> {
  return startDocumentedMosquitto(['bridge', ...cameras]);
}
async function startLocal(): Promise<Broker> {
  const broker = await startBroker({ port: 0, access: anybody });
  return { ...broker, url: `mqtt://127.0.0.1:${broker.port}`, caFile: null };
}

let emulator: Emulator;
let pubsub: PubSub;
const heard: { deviceId: string; text: string }[] = [];
let packs = 0;
const known = new Set<string>();

beforeAll(async () => {
  if (missing) return;
  await buildBridge(process.cwd(), bundle);
  emulator = await startEmulator('pubsub', { port: await freePort() });
  pubsub = connectPubSub(projectId, emulator.host);
  const [topic] = await pubsub.createTopic('device-messages');
  const [subscription] = await topic.createSubscription('all', { enableMessageOrdering: true });
  subscription.on('message', (message) => {
    const { id: messageId, publishTime, attributes, data } = message;
    // What Pub/Sub hands over again keeps its id, and was published once.
    if (known.has(messageId)) return message.ack();
    known.add(messageId);
    const pushed = { messageId, publishTime: publishTime.toISOString(), attributes, data };
    const pack = isPack(pushed, 'native') ? unpacked(gunzipSync(data).toString(), pushed) : null;
    packs += pack === null ? 0 : 1;
    for (const { message: entry } of pack ?? [{ message: pushed }]) {
      heard.push({ deviceId: entry.attributes['deviceId'] ?? '', text: entry.data.toString() });
    }
    message.ack();
  });
  subscription.on('error', () => {});
});
afterAll(async () => {
  await pubsub?.close();
  await emulator?.stop();
  rmSync(folder, { recursive: true });
});

/** `npm test` plays one version of MQTT with each broker. */
const isWhole = process.env['TEST_SET'] !== 'test';

describe
  .skipIf(missing)
  .each([
    ...(hasMosquitto ? ([['Mosquitto, MQTT 5', startMosquitto, '5', '50']] as const) : []),
    ...(hasMosquitto && isWhole ? ([['Mosquitto, MQTT 3.1.1', startMosquitto, '3.1.1', '0']] as const) : []),
    ['the local broker, MQTT 3.1.1', startLocal, '3.1.1', '50'] as const,
  ])('the bridge between %s and Pub/Sub', (_name, startOne, version, packAbove) => {
  let broker: Broker;
  let toBroker: TcpProxy;
  let toPubSub: TcpProxy;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    broker = await startOne();
    toBroker = await startTcpProxy(broker.port);
    toPubSub = await startTcpProxy(Number(emulator.host.split(':')[1]));
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
    heard.length = 0;
    packs = 0;
  });
  afterAll(async () => {
    await Promise.all([toBroker?.stop(), toPubSub?.stop()]);
    await broker?.stop();
  });

  const environment = () => ({
    MQTT_URL: broker.url.replace(String(broker.port), String(toBroker.port)),
    MQTT_USERNAME: 'bridge',
    MQTT_PASSWORD: passwordAt('bridge'),
    MQTT_VERSION: version,
    PACK_ABOVE: packAbove,
    MQTT_KEEPALIVE_SECONDS: '2',
    MQTT_WINDOW: String(windowOfTest),
    ...(broker.caFile === null ? {} : { MQTT_CA_FILE: broker.caFile }),
    GOOGLE_CLOUD_PROJECT: projectId,
    PUBSUB_EMULATOR_HOST: `127.0.0.1:${toPubSub.port}`,
    PORT: '0',
  });
  /** A bridge in a process of its own, and what it says. */
  const launch = (): ChildProcess & { lines: string[] } => {
    const env = { ...process.env, METADATA_SERVER_DETECTION: 'none', ...environment() };
    const child = spawn(process.execPath, [bundle], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    child.stdout.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n')));
    ends.push(() => child.kill('SIGKILL'));
    return Object.assign(child, { lines });
  };
  const said = (lines: string[], event: string) => lines.filter((line) => line.includes(`"${event}"`)).length;
  const connectCamera = (username: string): MqttClient => {
    const ca = broker.caFile === null ? {} : { ca: readFileSync(broker.caFile) };
    const client = connect(broker.url, { username, password: passwordAt(username), clientId: username, ...ca });
    ends.push(() => client.endAsync(true));
    return client;
  };

  test('loses nothing while either side is cut, frozen or killed', async () => {
    let bridge = launch();
    await expect.poll(() => said(bridge.lines, 'broker.connected'), { timeout: 30_000 }).toBe(1);
    const clients = cameras.map((camera) => ({ camera, client: connectCamera(camera) }));
    const sent = new Map<string, string[]>(cameras.map((camera) => [camera, []]));
    let isOver = false;
    const speaking = clients.map(async ({ camera, client }) => {
      while (!isOver) {
        const texts = sent.get(camera) ?? [];
        texts.push(`${camera} ${texts.length}`);
        await client.publishAsync(`devices/${camera}/status`, texts.at(-1) ?? '', { qos: 1 });
        await pause(10);
      }
    });
    const goesOn = async () => {
      const before = heard.length;
      await expect.poll(() => heard.length, { timeout: 40_000, interval: 20 }).toBeGreaterThan(before + 20);
    };
    await goesOn();
    toBroker.cut();
    await goesOn();
    toPubSub.cut();
    await goesOn();
    toBroker.strand();
    await goesOn();
    toPubSub.hold('to-client');
    await pause(300);
    toPubSub.release();
    await goesOn();
    bridge.kill('SIGSTOP');
    await pause(300);
    bridge.kill('SIGCONT');
    await goesOn();
    bridge.kill('SIGKILL');
    await pause(300);
    // What came meanwhile is in the old session.
    bridge = launch();
    await goesOn();
    isOver = true;
    await Promise.all(speaking);
    const firsts = (camera: string) => [
      ...new Set(heard.filter((each) => each.deviceId === camera).map(({ text }) => text)),
    ];
    // Where few messages come again after many, their order may mix: packs have an ordering key of their own.
    const ordered = (texts: string[] = []) => (packAbove === '0' ? texts : texts.toSorted());
    for (const camera of cameras)
      await expect.poll(() => ordered(firsts(camera)), { timeout: 40_000 }).toEqual(ordered(sent.get(camera)));
    const total = [...sent.values()].flat().length;
    console.log(`${total} messages, ${heard.length - total} came more than once, in ${packs} packs and alone`);
    expect(packs > 0).toBe(packAbove !== '0');
    // Each fault repeats at most what was on its way, to the bridge and from it. Only MQTT 5 tells the broker how much that may be.
    if (version === '5') expect(heard.length - total).toBeLessThanOrEqual(2 * 6 * windowOfTest);
    const stopped = new Promise((resolve) => bridge.once('exit', resolve));
    bridge.kill('SIGTERM');
    expect(await stopped).toBe(0);
  }, 180_000);

  test('of two with one client id one ends, says why, and does not fight', async () => {
    const lines: string[][] = [[], []];
    const open = async (index: number) => {
      const { PORT: _port, ...env } = environment();
      const bridge = await startBridge(
        bridgeSettings(env.MQTT_URL, env),
        createLog((line) => lines[index]?.push(line)),
      );
      ends.push(() => bridge.stop());
      await expect.poll(() => said(lines[index] ?? [], 'broker.connected'), { timeout: 20_000 }).toBe(1);
      return bridge;
    };
    const bridges = [await open(0), await open(1)];
    const ended = await Promise.race(bridges.map(({ ended: end }, index) => end.then(() => index)));
    const read = async (index: number, path: string) => fetch(`http://127.0.0.1:${bridges[index]?.port}${path}`);
    expect(said(lines[ended] ?? [], 'bridge.taken-over')).toBe(1);
    expect((await read(ended, '/healthz')).status).toBe(503);
    expect(await (await read(ended, '/metrics')).text()).toContain('\nwatchpost_bridge_taken_over_total 1\n');
    await expect.poll(async () => (await read(1 - ended, '/readyz')).status, { timeout: 20_000 }).toBe(200);
    const connections = said(lines[1 - ended] ?? [], 'broker.connected');
    // Longer than the first pause before a connection.
    await pause(1500);
    expect(said(lines[1 - ended] ?? [], 'broker.connected')).toBe(connections);
    await connectCamera('cam-1').publishAsync('devices/cam-1/status', 'still heard', { qos: 1 });
    await expect.poll(() => heard.map(({ text }) => text), { timeout: 20_000 }).toEqual(['still heard']);
  });

  test('says in one line what it cannot reach and why, and that it is back', async () => {
    const lines: string[] = [];
    toBroker.lead(await freePort());
    const env = environment();
    const bridge = await startBridge(
      bridgeSettings(env.MQTT_URL, env),
      createLog((line) => lines.push(line)),
    );
    ends.push(() => bridge.stop());
    const ready = async () => (await fetch(`http://127.0.0.1:${bridge.port}/readyz`)).json();
    await expect.poll(() => said(lines, 'broker.away'), { timeout: 20_000 }).toBe(1);
    expect(await ready()).toEqual({ status: 'not-ready', problems: { broker: expect.stringMatching(/./) } });
    expect((await fetch(`http://127.0.0.1:${bridge.port}/healthz`)).status).toBe(200);
    toBroker.lead(broker.port);
    await expect.poll(() => said(lines, 'broker.connected'), { timeout: 20_000 }).toBe(1);
    expect(await ready()).toEqual({ status: 'ready' });
  });
});
