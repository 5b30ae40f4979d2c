import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import type { Instant } from '../../../device/guardian/decide/maintenance.ts';
import { createLog } from '../../../device/guardian/process/log.ts';
import { assembleGuardian } from '../../../device/guardian/run.ts';
import { readSettings } from '../../../device/guardian/settings/settings.ts';
import { startVapixServer, type VapixServerOptions } from '../../../local/cameras/device/vapix-server.ts';

/** The parameters of a camera's MQTT client that match `guardianFile`. */
export const goldenParameters = {
  server: { protocol: 'ssl', host: 'mqtt.example.com', port: 8883 },
  clientId: 'cam-1',
  cleanSession: true,
  keepAliveInterval: 60,
  deviceTopicPrefix: 'axis/ACCC8E000001',
  lastWillTestament: {
    useDefault: false,
    topic: 'devices/cam-1/connection',
    message: '{"status":"offline"}',
    retain: true,
    qos: 1,
  },
  connectMessage: { useDefault: true },
  ssl: { validateServerCert: true, CACertID: 'fleet-ca' },
};

/** A configuration file of a guardian. */
export function guardianFile(cameraUrl: string, brokerUrl: string) {
  return {
    device: { id: 'cam-1', serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' },
    interface: { type: 'vapix', url: cameraUrl },
    broker: { url: brokerUrl },
    intervalSeconds: 30,
    policy: 'HEAL',
    queueDirectory: 'queue',
    golden: {
      deviceId: 'cam-1',
      generation: 1,
      configuration: {
        broker: { host: 'mqtt.example.com', port: 8883, protocol: 'ssl' },
        tls: { validateServerCert: true },
        clientId: 'cam-1',
        topicPrefix: 'axis/ACCC8E000001',
        lastWill: { topic: 'devices/cam-1/connection', payload: '{"status":"offline"}' },
        keepAlive: 60,
      },
    },
  };
}

export type Received = { topic: string; payload: string; qos: number; clientId: string };

/** A real broker that records every published message, even if it then cuts the connection instead of acknowledging. */
export async function startRecordingBroker(options: { tls?: { cert: string; key: string }; port?: number } = {}) {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let dropped = 0;
  const control = {
    received,
    credentials: null as { username: string; password: string } | null,
    dropBeforeAcknowledging: 0,
  };
  const broker = await Aedes.createBroker({
    authenticate: (_client, username, password, done) => {
      const { credentials } = control;
      const isRight =
        credentials === null || (username === credentials.username && String(password) === credentials.password);
      done(null, isRight);
    },
    authorizePublish: (client, packet, done) => {
      received.push({
        topic: packet.topic,
        payload: String(packet.payload),
        qos: packet.qos,
        clientId: client?.id ?? '',
      });
      if (control.dropBeforeAcknowledging <= dropped) return done();
      dropped += 1;
      client?.conn.destroy();
    },
  });
  const server = options.tls ? createTlsServer(options.tls, broker.handle) : createServer(broker.handle);
  server.on(options.tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(control, {
    port,
    openConnections: () => sockets.size,
    alerts: (): Record<string, unknown>[] => received.map(({ payload }) => JSON.parse(payload)),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => broker.close(() => server.close(() => resolve())));
    },
  });
}

/** A real camera interface over HTTP, a real broker, a real disk, and a guardian with a manual clock. Tests start its checks. */
export async function createGuardianWorld(
  options: { camera?: VapixServerOptions; file?: object; env?: NodeJS.ProcessEnv; requestTimeoutMs?: number } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'guardian-world-'));
  const camera = await startVapixServer({ configuration: goldenParameters, ...options.camera });
  const broker = await startRecordingBroker();
  const now: Instant = { calendarMs: Date.parse('2026-11-20T10:00:00Z'), monotonicMs: 1_000_000 };
  const lines: string[] = [];
  const log = createLog(
    (line) => lines.push(line),
    () => new Date(now.calendarMs).toISOString(),
    {},
  );
  const path = join(folder, 'guardian.json');
  let file: object = { ...guardianFile(camera.url, `mqtt://127.0.0.1:${broker.port}`), ...options.file };

  const start = () => {
    writeFileSync(path, JSON.stringify(file));
    return assembleGuardian(readSettings(path, options.env ?? {}), log, {
      clock: () => ({ ...now }),
      wait: async (milliseconds) => {
        now.monotonicMs += milliseconds;
        now.calendarMs += milliseconds;
      },
      random: () => 0,
      requestTimeoutMs: options.requestTimeoutMs ?? 10_000,
      pollMs: 1000,
    });
  };
  const world = {
    folder,
    camera,
    broker,
    now,
    guardian: start(),
    log: () => lines.map((line) => JSON.parse(line) as Record<string, unknown> & { event: string }),
    text: () => lines.join(''),
    /** Advances both clocks and runs a check. */
    async look(seconds = 30) {
      now.monotonicMs += seconds * 1000;
      now.calendarMs += seconds * 1000;
      await world.guardian.check(now.monotonicMs);
    },
    async restart(changes: object = {}) {
      await world.guardian.publisher.stop();
      file = { ...file, ...changes };
      // A reboot: the monotonic clock starts again.
      now.monotonicMs = 500;
      world.guardian = start();
    },
    async drained() {
      await until(() => world.guardian.report().queueLength === 0);
    },
    async stop() {
      await world.guardian.publisher.stop();
      await Promise.all([camera.close(), broker.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
  return world;
}

/** Waits for a condition that depends on real input and output. */
export async function until(isTrue: () => boolean, timeoutMs = 30_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`It did not come about within ${timeoutMs} ms: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
