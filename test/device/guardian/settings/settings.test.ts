import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isHealingAllowed } from '../../../../device/guardian/decide/maintenance.ts';
import { readSettings } from '../../../../device/guardian/settings/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'guardian-settings-'));
const path = join(folder, 'guardian.json');
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, 'key.pem'),
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
);

const file = {
  device: { id: 'cam-1', serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' },
  interface: { type: 'vapix', url: 'http://127.0.0.1:8090' },
  broker: { url: 'mqtt://127.0.0.1:1883', caFile: null },
  intervalSeconds: 30,
  policy: 'HEAL',
  queueDirectory: 'guardian-queue',
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

describe('the configuration file of a guardian', () => {
  test('is read, with secrets from the environment and paths beside the file', () => {
    const settings = read(file, { GUARDIAN_USERNAME: 'root', GUARDIAN_PASSWORD: 'pass' });
    expect(settings).toMatchObject({
      device: { id: 'cam-1', serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' },
      camera: { ca: null, credentials: { username: 'root', password: 'pass' }, clientPassword: null },
      broker: { ca: null, clientCertificate: null, clientId: 'guardian-cam-1', username: null, password: null },
      intervalSeconds: 30,
      policy: { mode: 'HEAL' },
      queueDirectory: join(folder, 'guardian-queue'),
      healthFile: join(folder, 'guardian-queue', 'health.json'),
    });
    expect(settings.golden()).toMatchObject({ status: 'offered', golden: { generation: 1 } });
    expect(settings.golden()).toEqual({ status: 'unchanged' });
  });

  test('has defaults for interval, policy and queue', () => {
    const { intervalSeconds: _i, policy: _p, queueDirectory: _q, ...rest } = file;
    expect(read(rest)).toMatchObject({ intervalSeconds: 30, policy: { mode: 'HEAL' }, camera: { credentials: null } });
  });

  test('takes a maintenance window with an end', () => {
    const policy = { mode: 'ALERT_ONLY', until: '2026-11-20T12:00:00+01:00' };
    expect(read({ ...file, policy }).policy).toEqual({ mode: 'ALERT_ONLY', untilAt: '2026-11-20T12:00:00+01:00' });
  });

  const bad: [member: string, value: unknown, fault: string][] = [
    ['device', undefined, 'device must be an object'],
    ['device', { ...file.device, id: 'cam 1' }, 'device.id does not fit: "cam 1"'],
    ['device', { ...file.device, serial: 7 }, 'device.serial must be text'],
    ['device', { ...file.device, ip: undefined }, 'device.ip is missing'],
    ['interface', { ...file.interface, type: 'onvif' }, 'interface.type does not fit: "onvif"'],
    [
      'interface',
      { ...file.interface, url: 'ftp://a' },
      'interface.url must be an address that begins with http:// or https://',
    ],
    ['interface', { ...file.interface, url: 'http://root:pass@a' }, 'without user and password'],
    ['broker', { url: 'mqtt://' }, 'broker.url must be an address that begins with mqtt:// or mqtts://'],
    ['broker', { url: 'mqtt://mqtt.example.com' }, 'broker.url must begin with mqtts:// off this machine'],
    ['identity', {}, 'identity.keyFile is missing'],
    ['identity', { keyFile: 'missing.pem' }, 'identity.keyFile cannot be used: ENOENT'],
    ['broker', { url: 'ws://a' }, 'broker.url must be an address'],
    ['broker', { ...file.broker, caFile: 'missing.pem' }, 'broker.caFile cannot be used: ENOENT'],
    ['broker', { ...file.broker, caFile: 'guardian.json' }, 'broker.caFile cannot be used'],
    ['broker', { ...file.broker, pasword: 'x' }, 'broker.pasword is not known here'],
    ['broker', { ...file.broker, keyFile: 'guardian.json' }, 'broker.keyFile cannot be used'],
    ['broker', { ...file.broker, keyFile: 'key.pem' }, 'broker.certificateFile and keyFile go together'],
    ['intervalSeconds', 0, 'intervalSeconds must be a whole number from 1 to 300'],
    ['intervalSeconds', '30', 'intervalSeconds must be a whole number from 1 to 300'],
    ['policy', 'ALERT_ONLY', 'policy must be "HEAL" or {"mode": "ALERT_ONLY", "until":'],
    ['policy', { mode: 'ALERT_ONLY' }, 'policy.until is missing'],
    ['policy', { mode: 'ALERT_ONLY', until: 'tomorrow' }, 'policy.until does not fit: "tomorrow"'],
    ['policy', { mode: 'ALERT_ONLY', until: '2026-13-45T99:00Z' }, 'policy.until must be an instant'],
    ['policy', { mode: 'OFF' }, 'policy.mode does not fit: "OFF"'],
    ['queueDirectory', 7, 'queueDirectory must be text'],
    ['golden', undefined, 'golden must be an object'],
    [
      'golden',
      { deviceId: 'cam-1', generation: 1, configuration: { broker: { port: 'x' } } },
      'golden.configuration.broker.port must be a whole number',
    ],
    ['golden', { generation: 1, configuration: { clientId: 'cam-1' } }, 'golden.deviceId is missing'],
    ['golden', { signedFile: 'golden.signed' }, 'golden.publicKey is missing'],
    ['golden', { signedFile: 'golden.signed', publicKey: 'AAAA' }, 'golden.publicKey must be an Ed25519 public key'],
    ['golden', { signedFile: 'a', publicKey: 'AAAA', generation: 1 }, 'golden.generation is not known here'],
    ['intervall', 30, 'intervall is not known here'],
  ];
  test.each(bad)('with a bad member %s is refused by its name', (member, value, fault) => {
    expect(() => read({ ...file, [member]: value })).toThrow(fault);
  });

  test('that is not JSON is refused with its path', () => {
    writeFileSync(path, '{');
    expect(() => readSettings(path, {})).toThrow(`${path} cannot be read`);
  });

  test('with several faults names them all at once', () => {
    expect(() => read({ ...file, intervalSeconds: 0, policy: 'OFF' })).toThrow(/intervalSeconds .*; policy /);
  });
});

describe('a maintenance window', () => {
  const policy = { mode: 'ALERT_ONLY', untilAt: '2026-11-20T12:00:00Z' } as const;
  const hour = 3_600_000;
  const startedAt = { calendarMs: Date.parse('2026-11-20T10:00:00Z'), monotonicMs: 5_000 };
  const later = (calendarHours: number, monotonicHours: number) => ({
    calendarMs: startedAt.calendarMs + calendarHours * hour,
    monotonicMs: startedAt.monotonicMs + monotonicHours * hour,
  });

  test('holds healing until its end', () => {
    expect(isHealingAllowed(policy, startedAt, later(1.9, 1.9))).toBe(false);
    expect(isHealingAllowed(policy, startedAt, later(2, 2))).toBe(true);
  });

  test('does not grow when the calendar is set back by a day, and ends when it is set forward', () => {
    expect(isHealingAllowed(policy, startedAt, later(-22.1, 1.9))).toBe(false);
    expect(isHealingAllowed(policy, startedAt, later(-22, 2))).toBe(true);
    expect(isHealingAllowed(policy, startedAt, later(25, 1))).toBe(true);
  });

  test('never lasts longer than a week', () => {
    const endless = { mode: 'ALERT_ONLY', untilAt: '2999-01-01T00:00:00Z' } as const;
    expect(isHealingAllowed(endless, startedAt, later(167, 167))).toBe(false);
    expect(isHealingAllowed(endless, startedAt, later(168, 168))).toBe(true);
  });

  test('that is over before the start holds nothing', () => {
    const past = { mode: 'ALERT_ONLY', untilAt: '2026-11-20T09:00:00Z' } as const;
    expect(isHealingAllowed(past, startedAt, startedAt)).toBe(true);
  });
});

function read(value: object, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(path, JSON.stringify(value));
  return readSettings(path, env);
}
