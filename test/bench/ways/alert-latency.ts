import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { connectPubSub } from '../../../local/cloud/push/publisher.ts';
import { spawnChild } from '../../../local/stack/child-process.ts';
import type { Stack } from '../../../local/stack/stack.ts';
import { freePort } from '../../support/net/free-port.ts';
import { connectFleet } from '../../support/stack/stack.ts';
import { connectEmulator } from '../../support/stores/emulator-client.ts';

const patienceMs = 20_000;
/** Looks begin when an alert could first be there, and leave the processor to those who make it. */
const firstLookMs = 20;
const lookEveryMs = 5;
/**
 * The emulator of Pub/Sub hands messages out at ticks of about 50 ms. Whatever begins right behind another message waits for nearly a whole
 * one, and what begins behind that for hardly any: so each begins at another moment of the tick.
 */
const tickMs = 50;
const momentOf = (index: number) => (((index + tickMs) * 31) % tickMs) + tickMs;

/**
 * By turns: a report by MQTT until its alert can be read by the API, and the least that such a way must do: MQTT, bridge, a pull from
 * the Pub/Sub emulator, and one write to the Firestore emulator. In milliseconds.
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
  // A camera is connected long before it has something to say.
  await fleet.connect(deviceId);
  const startedAt = performance.now();
  // The acknowledgement is not waited for: the alert may well be there before it.
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

/** A bridge, a topic and a subscription of its own, so that nothing of the service hears of it. */
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
    to: { kind: 'pubsub' as const, projectId: run.projectId, pubsubHost, topic: 'bench-floor' },
  };
  const bridge = await spawnChild({ service: 'mqtt', config }, process.env, join(folder, 'log'));
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
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
