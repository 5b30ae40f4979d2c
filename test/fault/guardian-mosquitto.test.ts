import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { passwordOf } from '../../local/cloud/secrets.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { hasMosquitto, type Mosquitto, prepareMosquitto } from '../support/guardian/mosquitto.ts';
import { createGuardianWorld, until } from '../support/guardian/world.ts';
import { inSet } from '../support/sets.ts';
import { callerOf, until as untilHeld } from '../support/stack/stack.ts';

type World = Awaited<ReturnType<typeof createGuardianWorld>>;

if (!hasMosquitto) console.log('mosquitto is not on PATH: the tests with a broker of another make are left out.');

describe.skipIf(!hasMosquitto)('a guardian and Mosquitto', () => {
  let folder: string;
  let mosquitto: Mosquitto;
  let world: World;
  let subscriber: MqttClient | null = null;
  let stack: Stack | null = null;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guardian-mosquitto-'));
  });
  afterEach(async () => {
    await world.stop();
    await subscriber?.endAsync(true);
    await mosquitto.stop();
    await stack?.stop();
    [subscriber, stack] = [null, null];
    rmSync(folder, { recursive: true });
  });

  const begin = async () => {
    world = await createGuardianWorld({ file: { broker: { url: mosquitto.url, caFile: mosquitto.caFile } } });
  };
  /** Changes the camera `changes` times while the broker is away. @returns the payloads in the outbox on disk, oldest first */
  const fight = async (changes: number): Promise<string[]> => {
    for (let count = 0; count < changes; count += 1) {
      world.camera.tamper('broker.host', 'evil.example.net');
      await world.look();
    }
    const queue = join(world.folder, 'queue');
    const pending = readdirSync(queue).filter((name) => name.endsWith('.outbox.json'));
    const entries = pending.toSorted().map((name) => JSON.parse(readFileSync(join(queue, name), 'utf8')));
    return entries.flatMap(({ messages }) => messages.map(({ payload }: { payload: string }) => payload));
  };

  inSet('rest', () => {
    test('that is down for an hour of conflict, and again during the replay, gets all alerts in order', async () => {
      mosquitto = await prepareMosquitto(folder);
      await mosquitto.start();
      const received: string[] = [];
      // A persistent session: it misses nothing while the broker is away.
      subscriber = await connectAsync(mosquitto.url, {
        clientId: 'archive',
        clean: false,
        reconnectPeriod: 100,
        ca: readFileSync(mosquitto.caFile),
      });
      subscriber.on('message', (_topic, payload) => received.push(payload.toString()));
      await subscriber.subscribeAsync('devices/#', { qos: 1 });
      await mosquitto.stop();
      await begin();

      const pending = await fight(120);
      expect(pending).toHaveLength(241);
      await mosquitto.start();
      await until(() => received.length > 20);
      await mosquitto.stop();
      // The replay was interrupted in the middle.
      expect(world.guardian.report().queueLength).toBeGreaterThan(0);
      await mosquitto.start();
      await world.drained();
      await until(() => new Set(received).size === pending.length);
      expect([...new Set(received)]).toEqual(pending);
    });
  });

  inSet('test', () => {
    test('whose bridge forwards everything to the service: each alert is listed there once', async () => {
      stack = await startStack({ isEmbedded: true });
      const { get } = callerOf(stack);
      const listed = async (): Promise<string[]> => {
        const { body } = await get('/v1/guardian-alerts?deviceId=cam-1&pageSize=200');
        return body.guardianAlerts.map(({ guardianAlert }: { guardianAlert: unknown }) =>
          JSON.stringify(guardianAlert),
        );
      };
      mosquitto = await prepareMosquitto(folder, {
        port: stack.ports.mqtt,
        user: 'cam-1',
        password: passwordOf(stack.run.accountsKey, 'cam-1'),
      });
      await begin();
      const pending = await fight(60);
      expect(pending).toHaveLength(121);
      await mosquitto.start();
      await untilHeld('the first alerts', async () => (await listed()).length > 5);
      await mosquitto.stop();
      await mosquitto.start();
      await world.drained();
      await untilHeld('the last alert', async () => (await listed()).length >= pending.length);
      expect((await listed()).toSorted()).toEqual(pending.toSorted());
      const { body } = await get('/v1/alerts?deviceId=cam-1&status=all');
      const codes = new Set(body.alerts.map(({ code }: { code: string }) => code));
      for (const code of ['SEC_002', 'CFG_001', 'CFG_002', 'CFG_003']) expect(codes).toContain(code);
    });
  });
});
