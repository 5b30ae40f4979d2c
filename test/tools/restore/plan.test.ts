import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planOf, type Recovery } from '../../../tools/restore/plan.ts';

const recovery: Recovery = {
  project: 'p-1',
  region: 'europe-west1',
  database: '(default)',
  serving_database: '(default)',
  subscriptions: ['ingest', 'dead'],
  queues: ['deadlines-0', 'deliveries-0'],
  sweep: 'sweep',
  base_url: 'https://watch.example.com',
};
const now = Date.parse('2026-11-22T12:00:00Z');
const restore = { database: 'restored-1', asOf: '2026-11-22T10:15:00Z', from: 'backup' } as const;

test('the plan names every queue, subscription and database of the installation, and what is paused is resumed', () => {
  const lines = planOf(recovery, restore, now).flatMap(({ commands }) => commands);
  for (const queue of recovery.queues) {
    expect(lines.filter((line) => line.includes(`queues pause ${queue} `))).toHaveLength(1);
    expect(lines.filter((line) => line.includes(`queues resume ${queue} `))).toHaveLength(1);
  }
  for (const name of recovery.subscriptions) expect(lines.join('\n')).toContain(`subscriptions update ${name} `);
  expect(lines.at(0)).toBe('terraform apply -var read_only=true');
  expect(lines).toContain('terraform apply -var serving_database=restored-1');
  expect(lines.filter((line) => line.startsWith('gcloud')).every((line) => line.endsWith('--project=p-1'))).toBe(true);
});

test('the steps inside the restored database come after it exists and before anything uses it', () => {
  const steps = planOf(recovery, restore, now);
  const own = steps.flatMap(({ commands }, index) => (commands.length === 0 ? [index] : []));
  expect(own).toEqual([3, 4, 5]);
  expect(steps[2]?.commands.join()).toContain('destination-database=restored-1');
  expect(steps[6]?.commands[0]).toContain('serving_database=restored-1');
});

test.each([
  ['the database that serves', { database: '(default)' }, /--database/],
  ['the restored database once it serves', { database: 'restored-0' }, /is the one that serves/],
  ['a time that has not come', { asOf: '2026-11-22T12:00:01Z' }, /--as-of/],
  ['no time', { asOf: 'yesterday' }, /--as-of/],
  ['a point in time of eight days ago', { asOf: '2026-11-14T10:15:00Z', from: 'time' as const }, /7 days/],
])('%s is refused', (_what, change, why) => {
  const given = { ...recovery, serving_database: _what.startsWith('the restored') ? 'restored-0' : '(default)' };
  expect(() => planOf(given, { ...restore, ...change }, now)).toThrow(why);
});

test('the names are those of an output of Terraform', () => {
  const output = readFileSync('terraform/outputs.tf', 'utf8').split('output "recovery"')[1] ?? '';
  for (const name of Object.keys(recovery)) expect(output).toMatch(new RegExp(`^    ${name} +=`, 'm'));
});

test('the command prints the plan, and refuses to write without one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-restore-'));
  const file = join(folder, 'recovery.json');
  writeFileSync(file, JSON.stringify(recovery));
  const given = ['--outputs', file, '--as-of', restore.asOf, '--database', restore.database];
  const run = (...flags: string[]) => spawnSync('node', ['tools/restore.ts', ...given, ...flags], { encoding: 'utf8' });
  try {
    expect(run('--plan')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('6. restored-1 says what it lost'),
    });
    expect(run().status).not.toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
