import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startVapixServer, type VapixServer } from '../../local/cameras/device/vapix-server.ts';
import { buildGuardian, guardianFile as bundleFile, guardianFlags } from '../../tools/build/guardian.ts';
import { goldenParameters, guardianFile, startRecordingBroker, until } from '../support/guardian/world.ts';

/** The memory that `docs/guardian.md` promises, and our own limit for the file. */
const mostResidentBytes = 60_000_000;
const mostBundleBytes = 128 * 1024;

describe('the one file that goes onto a camera', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guardian-footprint-'));
  const bundle = join(folder, 'dist', bundleFile);

  beforeAll(() => buildGuardian(process.cwd(), bundle), 300_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is smaller than 128 KiB and needs no package', () => {
    expect(statSync(bundle).size).toBeLessThan(mostBundleBytes);
    expect([...readFileSync(bundle, 'utf8').matchAll(/require\("(?!node:)[^"]+"\)/g)]).toEqual([]);
  });

  test('is started with the same Node options by `npm run guardian` and docs/guardian.md', () => {
    const started = `node ${guardianFlags.join(' ')} dist/${bundleFile}`;
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(scripts.guardian).toContain(started);
    expect(readFileSync('docs/guardian.md', 'utf8')).toContain(started);
  });

  // Memory and CPU of another process can be read on Linux, which cameras run.
  describe.skipIf(process.platform !== 'linux')('keeps to its size', () => {
    let camera: VapixServer;
    let broker: Awaited<ReturnType<typeof startRecordingBroker>>;
    let guardian: ChildProcess;
    beforeEach(async () => {
      const authentication = { scheme: 'digest', username: 'root', password: 'pass' } as const;
      camera = await startVapixServer({ configuration: goldenParameters, authentication });
      broker = await startRecordingBroker();
      const path = join(folder, 'guardian.json');
      const file = { ...guardianFile(camera.url, `mqtt://127.0.0.1:${broker.port}`), intervalSeconds: 1 };
      writeFileSync(path, JSON.stringify(file));
      guardian = spawn('node', [...guardianFlags, bundle, '--config', path], {
        env: { ...process.env, GUARDIAN_USERNAME: 'root', GUARDIAN_PASSWORD: 'pass' },
        stdio: 'ignore',
      });
    });
    afterEach(async () => {
      guardian.kill('SIGKILL');
      await Promise.all([camera.close(), broker.stop()]);
    });
    const looks = () => camera.calls()['getClientStatus'] ?? 0;

    test('under 60 MB while it heals again and again', async () => {
      camera.tamperEvery(1, 'broker.host', 'evil.example.net');
      await until(() => broker.received.length >= 10);
      expect(peakBytes(guardian.pid)).toBeLessThan(mostResidentBytes);
      expect(peakBytes(guardian.pid)).toBeGreaterThan(0);
    });

    test('under 60 MB and 1 % of a core at rest', async () => {
      await until(() => looks() >= 2);
      const [looksBefore, cpuBefore] = [looks(), cpuMs(guardian.pid)];
      await until(() => looks() >= looksBefore + 5);
      const cpuMsOfALook = (cpuMs(guardian.pid) - cpuBefore) / (looks() - looksBefore);
      // CPU time does not depend on other processes. By default the guardian checks every 30 s.
      expect(cpuMsOfALook / 30_000).toBeLessThan(0.01);
      expect(peakBytes(guardian.pid)).toBeLessThan(mostResidentBytes);
    });
  });
});

function peakBytes(pid = 0): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** User and system time in milliseconds: fields 14 and 15, in hundredths of a second (USER_HZ of Linux). */
function cpuMs(pid = 0): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
