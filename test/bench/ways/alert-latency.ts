import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { bridgeAccount } from '../../../local/brokers/accounts.ts';
import { connectPubSub } from '../../../local/cloud/push/client.ts';
import { passwordOf } from '../../../local/cloud/secrets.ts';
import { spawnChild } from '../../../local/stack/child-process.ts';
import type { Stack } from '../../../local/stack/stack.ts';
import { freePort } from '../../support/net/free-port.ts';
import { connectFleet } from '../../support/stack/stack.ts';
import { connectEmulator } from '../../support/stores/emulator-client.ts';

const patienceMs = 20_000;
/** The first request comes when the alert may exist. The pauses leave the CPU to the service. */
const firstLookMs = 20;
const lookEveryMs = 5;
/**
 * The Pub/Sub emulator delivers messages at ticks of about 50 ms. A measurement that starts directly after another message waits for almost a
 * whole tick, and the next one hardly at all. So each measurement starts at another moment of the tick.
 */
const tickMs = 50;
const momentOf = (index: number) => (((index + tickMs) * 31) % tickMs) + tickMs;

/**
 * Measures alternately, in milliseconds: a report by MQTT until the API returns its alert, and the least such a path must do: MQTT, bridge,
 * a pull from the Pub/Sub emulator, and one write to the Firestore emulator.
 */
export async function measureAlerts(stack: Stack, count: number): Promise<{ ours: number[]; floor: number[] }> {
  const floor = await openFloor(stack);
  const fleet = connectFleet(stack);
  const api = new Pool(`http://127.0.0.1:${stack.ports.api}`, { connections: 2 });
  const figures = { ours: [] as number[], floor: [] as number[] };
  try {
    for (let index = -3; index < count; index += 1) {
      await pause(momentOf(index));
      const ours = await alertMs(stack, fleet, api, `bench-${index + 3}`);
      await pause(momentOf(index));
      const least = await floor.once(`floor-${index + 3}`);
      if (index < 0) continue;
      figures.ours.push(ours);
      figures.floor.push(least);
    }
    return figures;
  } finally {
    await api.destroy();
    await fleet.close();
    await floor.stop();
  }
}

type Fleet = ReturnType<typeof connectFleet>;
const report = { memory: { usedPercent: 95 } };

async function alertMs({ run }: Stack, fleet: Fleet, api: Pool, deviceId: string): Promise<number> {
  // Not measured: a camera is connected long before it reports trouble.
  await fleet.connect(deviceId);
  const startedAt = performance.now();
  // Does not wait for the acknowledgement, because the alert may exist before it arrives.
  const published = fleet.send(deviceId, 'status', report);
  const headers = { authorization: `Bearer ${run.token}` };
  await pause(firstLookMs);
  for (;;) {
    const answer = await api.request({ method: 'GET', path: `/v1/devices/${deviceId}/alerts`, headers });
    const { alerts = [] } = (await answer.body.json()) as { alerts?: unknown[] };
    if (alerts.length > 0) break;
    if (performance.now() - startedAt > patienceMs) throw new Error(`no alert of ${deviceId} came`);
    await pause(lookEveryMs);
  }
  const ms = performance.now() - startedAt;
  await published;
  return ms;
}

/** Starts a separate bridge, topic and subscription, so that the service does not receive these messages. */
async function openFloor({ run }: Stack) {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-bridge-'));
  const port = await freePort();
  const pubsubHost = run.pubsubHost ?? '';
  const pubsub = connectPubSub(run.projectId, pubsubHost);
  const [topic] = await pubsub.createTopic('bench-floor');
  const [subscription] = await topic.createSubscription('bench-floor');
  const config = {
    port,
    secure: null,
    accountsKey: 'floor',
  };
  const broker = await spawnChild({ service: 'mqtt', config }, process.env, join(folder, 'log'));
  const environment = {
    MQTT_URL: `mqtt://127.0.0.1:${port}`,
    MQTT_USERNAME: bridgeAccount,
    MQTT_PASSWORD: passwordOf('floor', bridgeAccount),
    MQTT_VERSION: '3.1.1',
    GOOGLE_CLOUD_PROJECT: run.projectId,
    MESSAGES_TOPIC: 'bench-floor',
    PUBSUB_EMULATOR_HOST: pubsubHost,
    PORT: '0',
  };
  const bridge = await spawnChild({ service: 'bridge', config: environment }, process.env, join(folder, 'log'));
  const fleet = connectFleet({ run: { ...config, mqttUrl: `mqtt://127.0.0.1:${port}` } });
  const db = connectEmulator(run);
  const waiting = new Map<string, () => void>();
  subscription.on('message', (message) => {
    message.ack();
    waiting.get(message.attributes['deviceId'] ?? '')?.();
  });
  subscription.on('error', () => {});
  return {
    async once(deviceId: string): Promise<number> {
      await fleet.connect(deviceId);
      const startedAt = performance.now();
      const pulled = new Promise<void>((resolve) => waiting.set(deviceId, resolve));
      const published = fleet.send(deviceId, 'status', report);
      await pulled;
      await db.collection('floor').doc(deviceId).set({ memory: 95 });
      const ms = performance.now() - startedAt;
      await published;
      return ms;
    },
    async stop() {
      await fleet.close();
      await subscription.close();
      await pubsub.close();
      await db.terminate();
      await bridge.stop();
      await broker.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
