import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startVapixServer } from '../../device/camera/vapix-server.ts';
import { goldenParameters, guardianFile, startRecordingBroker, until } from '../support/guardian-world.ts';

/** What the page on the guardian promises. */
const mostResidentBytes = 60_000_000;
const flags = ['--lite-mode', '--max-heap-size=16'];
const mostBundleBytes = 128 * 1024;

describe('the one file that goes onto a camera', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guardian-footprint-'));
  const bundle = join(folder, 'guardian.cjs');
  const documented = readFileSync('docs/guardian.md', 'utf8');

  beforeAll(async () => {
    // The options of the command in docs/guardian.md.
    expect(documented).toContain(`node ${flags.join(' ')} dist/guardian.cjs`);
    for (const option of ['--bundle', '--platform=node', '--format=cjs', '--target=node24'])
      expect(documented).toContain(option);
    await build({
      entryPoints: ['device/guardian/main.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node24',
      outfile: bundle,
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is small and needs no package', () => {
    expect(statSync(bundle).size).toBeLessThan(mostBundleBytes);
    expect([...readFileSync(bundle, 'utf8').matchAll(/require\("(?!node:)[^"]+"\)/g)]).toEqual([]);
  });

  // The resident memory of another process can be read on Linux, which cameras run.
  test.skipIf(process.platform !== 'linux')('stays under 60 MB while it heals again and again', async () => {
    const authentication = { scheme: 'digest', username: 'root', password: 'pass' } as const;
    const camera = await startVapixServer({ configuration: goldenParameters, authentication });
    const broker = await startRecordingBroker();
    const path = join(folder, 'guardian.json');
    writeFileSync(
      path,
      JSON.stringify({ ...guardianFile(camera.url, `mqtt://127.0.0.1:${broker.port}`), intervalSeconds: 1 }),
    );
    camera.tamperEvery(1, 'broker.host', 'evil.example.net');
    const child = spawn('node', [...flags, bundle, '--config', path], {
      env: { ...process.env, GUARDIAN_USERNAME: 'root', GUARDIAN_PASSWORD: 'pass' },
      stdio: 'ignore',
    });
    try {
      await until(() => broker.received.length >= 10);
      const peakKibibytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
      expect(peakKibibytes * 1024).toBeLessThan(mostResidentBytes);
      expect(peakKibibytes).toBeGreaterThan(0);
    } finally {
      child.kill('SIGKILL');
      await Promise.all([camera.close(), broker.stop()]);
    }
  });
});
