import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkWay } from '../../device/guardian/identity/commands.ts';
import { readSettings } from '../../device/guardian/settings/settings.ts';
import { createGuardedCamera, type GuardedCamera } from '../../local/cameras/guarded-camera.ts';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { type Stack, startStack } from '../../local/stack/stack.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { inSet } from '../support/sets.ts';
import { callerOf, until } from '../support/stack/stack.ts';

/** A minute of the service lasts three seconds. Nobody is notified of a drift that is healed within a minute. A guardian checks every second. */
const timeScale = 20;
const missing = missingForEmulators();
if (missing && process.env['CI'] === 'true') throw new Error(`${missing} is missing.`);

/** Runs on the emulators if they are installed. `GUARDIAN_EMBEDDED=1` forces the service in one process. */
const isEmbedded = missing !== null || process.env['GUARDIAN_EMBEDDED'] === '1';

// The tests run concurrently, because each has its own camera and mostly waits.
describe.concurrent(`a guardian and the service ${isEmbedded ? 'in one process' : 'on the emulators'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'guardian-stack-'));
  const cameras: GuardedCamera[] = [];
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ isEmbedded, timeScale });
  });
  afterAll(async () => {
    await Promise.all(cameras.map((camera) => camera.stop()));
    await stack.stop();
    rmSync(folder, { recursive: true });
  });

  const begin = async (deviceId: string, isRunning = true) => {
    const { mqttsUrl: url, caFile, accountsKey } = stack.run;
    const identity = { deviceId, groupId: 'north', name: deviceId, periodMs: 60_000 };
    const camera = await createGuardedCamera(
      { ...identity, broker: { url, caFile, accountsKey }, timeScale, now: Date.now, random: Math.random },
      { folder, isRunning, log: () => {}, service: { url: stack.run.baseUrl, issuer: stack.run.issuer } },
    );
    cameras.push(camera);
    await camera.connect();
    // A guardian can be enrolled once its camera is known.
    await until(
      'the camera',
      async () => (await callerOf(stack).get(`/v1/devices/${deviceId}`)).body.deviceId === deviceId,
    );
    if (!camera.management) throw new Error('the camera has no management interface');
    return { camera, management: camera.management };
  };
  /** Sorted codes of the alerts of a device with this status. */
  const alertsOf = async (deviceId: string, status: 'open' | 'resolved'): Promise<string[]> => {
    const { body } = await callerOf(stack).get(`/v1/alerts?deviceId=${deviceId}&status=${status}`);
    return body.alerts.map(({ code }: { code: string }) => code).toSorted();
  };
  const isOpen = async (deviceId: string, code: string) => (await alertsOf(deviceId, 'open')).includes(code);
  const hasEnded = async (deviceId: string, code: string) => (await alertsOf(deviceId, 'resolved')).includes(code);
  const guardianAlertsOf = async (deviceId: string): Promise<{ guardianAlert: Record<string, unknown> }[]> =>
    (await callerOf(stack).get(`/v1/guardian-alerts?deviceId=${deviceId}`)).body.guardianAlerts;
  const codesOf = async (deviceId: string) =>
    (await guardianAlertsOf(deviceId)).map(({ guardianAlert }) => guardianAlert['alertCode']).toReversed();

  inSet('test', () => {
    test('report a hijacked camera that was healed at once: the incident stays open, the drift ends', async () => {
      const { management } = await begin('cam-hijacked');
      management.tamper('broker.host', '203.0.113.9');
      await until('the heal', async () => (await codesOf('cam-hijacked')).length === 2);
      expect(await codesOf('cam-hijacked')).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
      await until('the end of CFG_001', () => hasEnded('cam-hijacked', 'CFG_001'));
      expect(await alertsOf('cam-hijacked', 'open')).toEqual(['CFG_002', 'SEC_002']);
      const [incident] = (await callerOf(stack).get('/v1/alerts?deviceId=cam-hijacked&code=SEC_002')).body.alerts;
      expect(incident).toMatchObject({
        severity: 'CRITICAL',
        context: { attemptedHost: '203.0.113.9', expectedHost: '127.0.0.1' },
      });
      const [, drift] = await guardianAlertsOf('cam-hijacked');
      expect(drift?.guardianAlert).toMatchObject({
        severity: 'warning',
        device: { serial: 'SIMCAMHIJACKED', model: 'SIM-1', ip: '127.0.0.1' },
        drift: { maxSeverity: 'CRITICAL', count: 1 },
        action: 'HEALING',
      });
    });

    test('keep a drift open until the camera accepts the heal', async () => {
      const { management } = await begin('cam-stubborn');
      management.setFault({ kind: 'refuse-field', field: 'tls.validateServerCert' });
      management.tamper('tls.validateServerCert', false);
      await until('CFG_001', () => isOpen('cam-stubborn', 'CFG_001'));
      // Longer than the minute in which a heal prevents a notification.
      await new Promise((resolve) => setTimeout(resolve, 1.5 * (60_000 / timeScale)));
      expect(await alertsOf('cam-stubborn', 'open')).toEqual(['CFG_001']);
      expect(await codesOf('cam-stubborn')).toEqual(['CONFIG_DRIFT']);
      management.setFault(null);
      await until('the end of CFG_001', () => hasEnded('cam-stubborn', 'CFG_001'));
      await until('the heal', async () => (await codesOf('cam-stubborn')).length === 2);
      expect(await codesOf('cam-stubborn')).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    });

    test('register only the camera, and not its guardian', async () => {
      await begin('cam-alone').then(({ management }) => management.tamper('clientId', 'intruder'));
      await until('the heal', async () => (await codesOf('cam-alone')).length === 2);
      const { body } = await callerOf(stack).get('/v1/devices?pageSize=200');
      const ids = body.devices.map(({ deviceId }: { deviceId: string }) => deviceId);
      expect(ids).toContain('cam-alone');
      expect(ids.filter((id: string) => id.startsWith('guardian'))).toEqual([]);
    });
  });

  // They start programs, or wait for minutes of the service.
  inSet('rest', () => {
    test('react to the commands of npm run camera', async () => {
      const program = spawn(
        'npm',
        ['run', '--silent', 'camera', '--', '--id', 'cam-typed', '--data-dir', stack.dataDir],
        {
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      );
      let output = '';
      program.stdout.on('data', (chunk) => {
        output += chunk;
      });
      const ended = new Promise<number | null>((resolve) => program.once('exit', resolve));
      const type = (line: string) => program.stdin.write(`${line}\n`);
      try {
        await until('the connection', async () => output.includes('cam-typed is connected'));
        type('help');
        await until('the help', async () => output.includes('tamper-every SECONDS FIELD VALUE'));
        type('tamper tls.validateServerCert false');
        await until('the heal', async () => (await codesOf('cam-typed')).length === 2);
        expect(output).toContain('tls.validateServerCert is false now');
        expect(output).toContain('guardian: healed.raised {"fields":["tls.validateServerCert"]}');
        type('tamper-every 2 broker.port 1884');
        await until('CFG_003', () => isOpen('cam-typed', 'CFG_003'));
      } finally {
        type('quit');
        expect(await ended).toBe(0);
      }
    });

    test('do the same where the guardian is a process of its own: npm run guardian', async () => {
      const { camera, management } = await begin('cam-own', false);
      await until(
        'the enrolment',
        async () => (await callerOf(stack).get('/v1/devices/cam-own')).body.guardian?.enrolled,
      );
      management.firmwareReset();
      const guardian = spawn('npm', ['run', '--silent', 'guardian', '--', '--config', camera.guardianFile], {
        env: { ...process.env, ...camera.guardianEnvironment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      guardian.stdout.on('data', (chunk) => {
        output += chunk;
      });
      const ended = new Promise<number | null>((resolve) => guardian.once('exit', resolve));
      try {
        await until('the heal', async () => (await codesOf('cam-own')).length === 2);
        expect(await codesOf('cam-own')).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
        await until('the end of CFG_001', () => hasEnded('cam-own', 'CFG_001'));
        expect(await alertsOf('cam-own', 'open')).toEqual(['CFG_002', 'SEC_002']);
        const [incident] = (await callerOf(stack).get('/v1/alerts?deviceId=cam-own&code=SEC_002')).body.alerts;
        expect(incident.message).toBe('Unauthorized broker connection attempt to a foreign broker, expected 127.0.0.1');
        expect(camera.isConnected()).toBe(true);
      } finally {
        guardian.kill('SIGTERM');
        expect(await ended).toBe(0);
      }
      const events = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event);
      expect([events[0], events.at(-1)]).toEqual(['guardian.started', 'guardian.stopped']);
    });

    test('authenticate messages with a key: the path can be checked, and an unsigned message counts as an attack', async () => {
      const { camera } = await begin('cam-known');
      const service = { url: stack.run.baseUrl, token: stack.run.token };
      const settings = readSettings(camera.guardianFile, camera.guardianEnvironment);
      const guardianOf = async () => (await callerOf(stack).get('/v1/devices/cam-known')).body.guardian;
      await until('the enrolment', async () => (await guardianOf())?.enrolled === true);
      expect(JSON.parse(await checkWay(settings, service))).toMatchObject({ deviceId: 'cam-known' });
      expect(await guardianOf()).toMatchObject({ enrolled: true, status: 'ok', alertsMissing: 0 });
      // Unsigned messages are accepted for ten minutes after the guardian began to sign. At this scale that is 30 s.
      await new Promise((resolve) => setTimeout(resolve, 32_000));
      await camera.send('guardian', guardianAlert('heal', ['broker.host'], new Date().toISOString()));
      await until('the wake', () => isOpen('cam-known', 'SEC_002'));
      expect(await codesOf('cam-known')).toEqual([]);
    });

    test('open a conflict alert while somebody keeps changing the camera', { timeout: 240_000 }, async () => {
      const { management } = await begin('cam-fought-over');
      const stop = management.tamperEvery(2, 'clientId', 'intruder');
      await until('CFG_003', () => isOpen('cam-fought-over', 'CFG_003'));
      stop();
      await until('the last heal', () => hasEnded('cam-fought-over', 'CFG_001'));
      // During the fight the camera may have been disconnected long enough to be lost. Waits until it reports again.
      await until('its reports', async () => !(await isOpen('cam-fought-over', 'CONN_001')));
      expect(await alertsOf('cam-fought-over', 'open')).toEqual(['CFG_002', 'CFG_003']);
      const conflicts = (await guardianAlertsOf('cam-fought-over')).filter(
        ({ guardianAlert }) => guardianAlert['alertCode'] === 'CONFIG_CONFLICT',
      );
      expect(conflicts).toMatchObject([
        {
          guardianAlert: {
            severity: 'critical',
            conflict: { driftCount: 4, window: '5m', lastDrift: { field: 'clientId' } },
          },
        },
      ]);
    });
  });
});
