import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newestBackup, stateAt } from '../../../tools/installation/copies.ts';
import { recovery } from '../../support/installation/installation.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

test.each([
  ['a time that has not come', '2026-11-22T12:00:01Z', /--as-of/],
  ['no time', 'yesterday', /--as-of/],
  ['a point in time of eight days ago', '2026-11-14T10:15:00Z', /7 days/],
])('%s is refused', (_what, asOf, why) => {
  expect(() => stateAt(asOf, now)).toThrow(why);
});

test('a state in time is that of its whole minute', () => {
  expect(stateAt('2026-11-22T10:15:42Z', now)).toEqual({ backup: null, asOf: '2026-11-22T10:15:00.000Z' });
});

test('the newest backup of this database that is ready and not too late is taken; none, and a region that does not answer, are said', async () => {
  const of = { project: 'p', region: 'r', database: 'd' };
  const backup = (name: string, hour: number, state = 'READY', database = 'd') => ({
    ...{ name, state, database: `projects/p/databases/${database}` },
    snapshotTime: { seconds: Date.UTC(2026, 10, 22, hour) / 1000, nanos: 5_000_000 },
  });
  const all = [backup('b3', 3), backup('b9', 9), backup('b10', 10, 'CREATING'), backup('b11', 11, 'READY', 'other')];
  const client = (unreachable: string[] = []) => ({
    listBackups: async () => [{ backups: all, unreachable }] as [{ backups: typeof all; unreachable: string[] }],
  });
  expect(await newestBackup(client(), of, now)).toEqual({ backup: 'b9', asOf: '2026-11-22T09:00:00.005Z' });
  const earlier = Date.parse('2026-11-22T08:00:00Z');
  expect((await newestBackup(client(), of, earlier)).backup).toBe('b3');
  await expect(newestBackup(client(), of, Date.parse('2026-11-21T00:00:00Z'))).rejects.toThrow('d has no backup');
  await expect(newestBackup(client(['r']), of, now)).rejects.toThrow('cannot be listed');
});

test('the names are those of an output of Terraform', () => {
  const output = readFileSync('terraform/outputs.tf', 'utf8').split('output "recovery"')[1] ?? '';
  for (const name of Object.keys(recovery)) expect(output).toMatch(new RegExp(`^    ${name} +=`, 'm'));
});

test('the command prints every step with the names of the installation, and refuses what is unclear', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-restore-'));
  const file = join(folder, 'recovery.json');
  writeFileSync(file, JSON.stringify(recovery));
  const asOf = new Date(Date.now() - 3_600_000).toISOString();
  const given = ['--outputs', file, '--from', 'time', '--as-of', asOf];
  const run = (...flags: string[]) =>
    spawnSync('node', ['tools/restore.ts', ...given, ...flags], { encoding: 'utf8', cwd: process.cwd() });
  try {
    const { status, stdout } = run('--database', 'restored-1', '--plan');
    expect(status).toBe(0);
    for (const name of [...recovery.queues, ...Object.keys(recovery.subscriptions), recovery.sweep])
      expect(stdout.split('\n').filter((line) => line.includes(` ${name} `))).toHaveLength(2);
    expect(stdout).toContain('--destination-database=restored-1');
    expect(run('--database', 'restored-1').stderr).toContain('--plan, --apply and --drill');
    expect(run('--database', 'restored-1', '--apply').stderr).toContain('--var-file');
    expect(run('--database', recovery.serving_database, '--plan').stderr).toContain('--database');
    expect(run('--database', 'watchpost', '--plan').status).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
