import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProbes } from '../../functions/probes/probes.ts';
import { documentedAccess } from '../../local/brokers/accounts.ts';
import { startBroker } from '../../local/brokers/broker.ts';
import { type Emulator, missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { passwordOf } from '../../local/cloud/secrets.ts';
import { startStorage } from '../../local/cloud/storage/server.ts';
import type { Service } from '../../local/machine/http-server.ts';
import { createChecks } from '../../shared/adapters/probe/checks.ts';
import { createReadiness } from '../../shared/app/probe/readiness.ts';
import type { CheckName } from '../../shared/domain/probe/readiness.ts';
import type { ReadinessResponse } from '../../shared/schema/probe/probe.ts';
import { faultsOf } from '../../shared/schema/validate.ts';
import { freePort } from '../support/net/free-port.ts';
import { until } from '../support/stack/stack.ts';
import { issuersOf, startTestIssuer } from '../support/world/issuer.ts';
import { createTestWorld } from '../support/world/world.ts';

const missing = missingForEmulators();

describe.skipIf(missing)('/ready against real dependencies', () => {
  const accountsKey = 'key';
  const world = createTestWorld();
  let emulator: Emulator;
  let parts: Record<CheckName, { stop(): Promise<unknown>; start(): Promise<void> }>;
  let server: Server;
  let elapsedMs = 0;
  const started: { stop(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    const [firestorePort, mqttPort, storagePort] = [await freePort(), await freePort(), await freePort()];
    emulator = await startEmulator('firestore', { port: firestorePort });
    process.env['FIRESTORE_EMULATOR_HOST'] = emulator.host;
    const issuer = await startTestIssuer();
    const restartable = (start: () => Promise<Service>) => {
      let running: Service | null = null;
      return {
        start: async () => {
          running = await start();
        },
        stop: async () => running?.stop(),
      };
    };
    const folder = mkdtempSync(join(tmpdir(), 'watchpost-frames-'));
    parts = {
      database: {
        stop: async () => process.kill(emulator.pid, 'SIGSTOP'),
        start: async () => {
          process.kill(emulator.pid, 'SIGCONT');
        },
      },
      mqtt: restartable(() => startBroker({ port: mqttPort, access: documentedAccess(accountsKey) })),
      storage: restartable(() => startStorage({ port: storagePort, folder, buckets: ['frames'] })),
      auth: { stop: async () => issuer.setKeys([]), start: async () => issuer.setKeys([issuer.jwk]) },
    };
    await Promise.all([parts.mqtt.start(), parts.storage.start()]);
    started.push(parts.mqtt, parts.storage, issuer, emulator);
    const ready = createReadiness({
      checks: createChecks({
        projectId: 'readiness',
        store: 'firestore',
        firestoreDatabase: '(default)',
        firestoreEmulator: emulator.host,
        mqttUrl: `mqtt://watchpost-probe:${passwordOf(accountsKey, 'watchpost-probe')}@127.0.0.1:${mqttPort}`,
        framesBucket: 'frames',
        storageEndpoint: `http://127.0.0.1:${storagePort}`,
        authIssuers: issuersOf({ issuer: issuer.url }),
      }),
      log: world.log,
      now: world.now,
      // Each request comes after the time for which callers share a result.
      elapsedMs: () => elapsedMs,
      version: '1.2.3',
    });
    server = createServer(
      createProbes({ now: world.now, uptimeSeconds: () => 12.7, version: '1.2.3', error: null, ready }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    server?.close();
    for (const part of started) await part.stop();
  });

  async function look(path: string) {
    elapsedMs += 10_000;
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    return { status: response.status, body: (await response.json()) as ReadinessResponse };
  }

  /** Repeats the request: each check has two seconds by contract, but a cold emulator or a busy machine takes longer. */
  const lookUntil = (what: string, holds: (body: ReadinessResponse) => boolean) =>
    until(what, async () => {
      const seen = await look('/ready');
      return holds(seen.body) && seen;
    });
  const unhealthyOf = ({ checks }: ReadinessResponse) =>
    Object.entries(checks).flatMap(([name, check]) => (check.status === 'healthy' ? [] : [name]));

  test('is 200 and ready when all four answer', async () => {
    const { status, body } = await lookUntil('all four healthy', (seen) => unhealthyOf(seen).length === 0);
    expect(body).toEqual({
      status: 'ready',
      timestamp: world.now(),
      version: '1.2.3',
      checks: Object.fromEntries(
        ['database', 'mqtt', 'storage', 'auth'].map((name) => [
          name,
          { status: 'healthy', latency_ms: expect.any(Number) },
        ]),
      ),
    });
    expect(status).toBe(200);
    expect(faultsOf('ReadinessResponse', body)).toEqual([]);
  });

  test.each(['database', 'mqtt', 'storage', 'auth'] as const)(
    'is 503 with only %s unhealthy while that is stopped, and /health stays 200',
    async (name) => {
      await parts[name].stop();
      const { status, body } = await lookUntil(`${name} alone unhealthy`, (seen) => String(unhealthyOf(seen)) === name);
      expect([status, body.status]).toEqual([503, 'not_ready']);
      expect(body.checks[name]).toEqual({
        status: 'unhealthy',
        latency_ms: null,
        error: expect.stringMatching(name === 'auth' ? /^issuer test-0 does not/ : /^(no answer|does not)/),
      });
      expect(faultsOf('ReadinessResponse', body)).toEqual([]);
      expect((await look('/health')).body).toEqual({
        status: 'healthy',
        timestamp: world.now(),
        version: '1.2.3',
        uptime: 12,
      });
      await parts[name].start();
      const recovered = await lookUntil('all four healthy again', (seen) => unhealthyOf(seen).length === 0);
      expect([recovered.status, recovered.body.status]).toEqual([200, 'ready']);
    },
  );
});

test('a service that cannot run is unhealthy on /health without uptime, and not ready', async () => {
  const service = {
    now: () => 't',
    uptimeSeconds: () => 1,
    version: '1',
    error: 'MQTT_URL is required',
    ready: async () => null,
  };
  const server = createServer(createProbes(service));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const health = await fetch(`${base}/health`);
  expect([health.status, await health.json()]).toEqual([
    503,
    { status: 'unhealthy', timestamp: 't', version: '1', error: 'MQTT_URL is required' },
  ]);
  expect((await fetch(`${base}/ready`)).status).toBe(503);
  server.close();
});
