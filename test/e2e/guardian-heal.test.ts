import { afterEach, describe, expect, test } from 'vitest';
import type { VapixServerOptions } from '../../local/cameras/device/vapix-server.ts';
import { faultsOf } from '../../shared/schema/validate.ts';
import { createGuardianWorld, goldenParameters } from '../support/guardian/world.ts';

type World = Awaited<ReturnType<typeof createGuardianWorld>>;
let world: World;
afterEach(() => world.stop());

const codes = () => world.broker.alerts().map((alert) => alert['alertCode'] ?? alert['type']);

describe('a guardian between a camera and a broker', () => {
  test('sends nothing about a camera with the golden configuration', async () => {
    world = await createGuardianWorld();
    await world.look();
    expect(world.guardian.report()).toMatchObject({
      status: 'golden',
      queueLength: 0,
      driftCount: 0,
      goldenGeneration: 1,
    });
    expect(world.broker.received).toEqual([]);
    expect(world.camera.calls()).toEqual({ getSupportedVersions: 1, getClientStatus: 1 });
  });

  test('heals a hijacked broker, and sends both alerts in the contract’s form with QoS 1 over its own connection', async () => {
    world = await createGuardianWorld();
    world.camera.tamper('broker.host', 'evil.example.net');
    world.camera.tamper('tls.validateServerCert', false);
    await world.look();
    await world.drained();
    expect(world.camera.settings()).toMatchObject({
      server: { host: 'mqtt.example.com' },
      ssl: { validateServerCert: true },
    });
    expect(world.broker.received.map(({ topic, qos, clientId }) => ({ topic, qos, clientId }))).toEqual([
      { topic: 'devices/cam-1/guardian', qos: 1, clientId: 'guardian-cam-1' },
      { topic: 'devices/cam-1/guardian', qos: 1, clientId: 'guardian-cam-1' },
    ]);
    const [drift, healed] = world.broker.alerts();
    expect(drift).toEqual({
      alertCode: 'CONFIG_DRIFT',
      severity: 'warning',
      device: { serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' },
      timestamp: '2026-11-20T10:00:30.000Z',
      drift: {
        fields: [
          { name: 'broker.host', expected: 'mqtt.example.com', actual: 'evil.example.net', severity: 'CRITICAL' },
          { name: 'tls.validateServerCert', expected: true, actual: false, severity: 'CRITICAL' },
        ],
        maxSeverity: 'CRITICAL',
        count: 2,
      },
      action: 'HEALING',
    });
    expect(healed).toMatchObject({
      alertCode: 'CONFIG_HEALED',
      severity: 'info',
      heal: { fieldsRestored: ['broker.host', 'tls.validateServerCert'], count: 2, durationMs: 0 },
    });
    for (const alert of world.broker.alerts()) expect(faultsOf('GuardianAlert', alert)).toEqual([]);
  });

  test('sends the whole configuration when it heals, because the interface replaces all of it', async () => {
    world = await createGuardianWorld();
    world.camera.tamper('clientId', 'other');
    await world.look();
    expect(world.camera.settings()).toEqual({
      ...goldenParameters,
      server: { ...goldenParameters.server, basepath: '' },
      connectTimeout: 60,
      autoReconnect: true,
      activateOnReboot: true,
    });
  });

  test('heals TLS settings of the golden configuration on a camera with plain TCP too', async () => {
    const configuration = {
      broker: { host: '127.0.0.1', port: 1883, protocol: 'tcp' },
      tls: { validateServerCert: true },
    };
    world = await createGuardianWorld({ file: { golden: { deviceId: 'cam-1', generation: 1, configuration } } });
    await world.look();
    await world.drained();
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(world.camera.settings()).toMatchObject({ server: { protocol: 'tcp' }, ssl: { validateServerCert: true } });
  });

  test('does not change the stored password, which the camera never shows', async () => {
    world = await createGuardianWorld({ camera: { configuration: { ...goldenParameters, password: 'stored' } } });
    world.camera.tamper('broker.host', 'evil.example.net');
    await world.look();
    await world.drained();
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(world.camera.hasPassword()).toBe(true);
  });

  test('sends a conflict alert at the fourth drift within five minutes', async () => {
    world = await createGuardianWorld();
    for (let count = 0; count < 5; count += 1) {
      world.camera.tamper('broker.host', 'evil.example.net');
      await world.look();
    }
    await world.drained();
    const pair = ['CONFIG_DRIFT', 'CONFIG_HEALED'];
    expect(codes()).toEqual([...pair, ...pair, ...pair, 'CONFIG_DRIFT', 'CONFIG_CONFLICT', 'CONFIG_HEALED', ...pair]);
    expect(world.broker.alerts()[7]).toMatchObject({
      severity: 'critical',
      conflict: {
        driftCount: 4,
        window: '5m',
        healAttempts: 3,
        lastDrift: { field: 'broker.host', actual: 'evil.example.net' },
      },
    });
    expect(world.guardian.report()).toMatchObject({ status: 'conflict', driftCount: 5, healCount: 5 });
  });

  test('restores a camera after a firmware reset, its password too where it is given', async () => {
    world = await createGuardianWorld({ env: { GUARDIAN_CLIENT_PASSWORD: 'planted-secret' } });
    world.camera.firmwareReset();
    await world.look();
    await world.drained();
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(world.camera.settings()).toMatchObject({
      server: { host: 'mqtt.example.com', port: 8883, protocol: 'ssl' },
    });
    const healed = world.broker.alerts()[1]?.['heal'] as { fieldsRestored: string[] };
    expect(healed.fieldsRestored).toContain('lastWill.topic');
  });

  test('does not heal in a maintenance window', async () => {
    world = await createGuardianWorld({ file: { policy: { mode: 'ALERT_ONLY', until: '2026-11-20T10:01:10Z' } } });
    world.camera.tamper('broker.host', 'evil.example.net');
    await world.look();
    await world.look();
    expect(world.camera.settings()).toMatchObject({ server: { host: 'evil.example.net' } });
    await world.look();
    await world.drained();
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(world.broker.alerts()[0]).toMatchObject({ action: 'ALERT_ONLY' });
    expect(world.camera.settings()).toMatchObject({ server: { host: 'mqtt.example.com' } });
  });

  test('guards the topics that the camera listens to', async () => {
    const subscriptions = { command: 'devices/cam-1/command', other: ['sites/north/door'] };
    const golden = { deviceId: 'cam-1', generation: 1, configuration: { clientId: 'cam-1', subscriptions } };
    world = await createGuardianWorld({ file: { golden } });
    world.camera.tamper('subscriptions', [
      { topicFilter: 'evil/command', qos: 0 },
      { topicFilter: 'sites/north/door', qos: 2, isStateData: true },
    ]);
    await world.look();
    await world.drained();
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(world.camera.subscriptions()).toEqual([
      { topicFilter: 'devices/cam-1/command', useDeviceTopicPrefix: false, qos: 1, isStateData: false },
      { topicFilter: 'sites/north/door', qos: 2, isStateData: true },
    ]);
  });

  const clients: [what: string, camera: VapixServerOptions][] = [
    ['version 1.0', { apiVersion: '1.0' }],
    ['version 1.6', { apiVersion: '1.6' }],
    ['connection states in capitals', { spelling: ['CONNECTED', 'DISCONNECTED'] }],
    ['connection states with a capital', { spelling: ['Connected', 'Disconnected'] }],
    ['digest with MD5', { authentication: { scheme: 'digest', username: 'root', password: 'planted-secret' } }],
    [
      'digest with SHA-256',
      { authentication: { scheme: 'digest', username: 'root', password: 'planted-secret', algorithm: 'SHA-256' } },
    ],
    [
      'basic on the loopback address',
      { authentication: { scheme: 'basic', username: 'root', password: 'planted-secret' } },
    ],
  ];
  test.each(clients)('heals a camera with %s', async (_what, camera) => {
    world = await createGuardianWorld({
      camera,
      env: { GUARDIAN_USERNAME: 'root', GUARDIAN_PASSWORD: 'planted-secret' },
    });
    world.camera.tamper('broker.port', 1883);
    await world.look();
    world.camera.expireNonces();
    world.camera.tamper('broker.port', 1883);
    await world.look();
    await world.drained();
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED', 'CONFIG_DRIFT', 'CONFIG_HEALED']);
  });

  test('shows no secret in alerts, log, queue or health', async () => {
    const authentication = { scheme: 'digest', username: 'root', password: 'planted-secret-1' } as const;
    world = await createGuardianWorld({
      camera: { authentication },
      env: {
        GUARDIAN_USERNAME: 'root',
        GUARDIAN_PASSWORD: 'planted-secret-1',
        GUARDIAN_CLIENT_PASSWORD: 'planted-secret-2',
      },
    });
    world.camera.firmwareReset();
    await world.look();
    world.camera.setFault({ kind: 'unauthorized' });
    for (let count = 0; count < 4; count += 1) await world.look();
    await world.drained();
    const everything = [
      world.text(),
      JSON.stringify(world.broker.received),
      JSON.stringify(world.guardian.report()),
    ].join('');
    expect(everything).toContain('CONFIG_HEALED');
    expect(everything).not.toContain('planted-secret');
  });
});
