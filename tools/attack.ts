// Runs the attacks and closes with one line for each row: how many were tried, how many were refused. Arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Score } from '../test/support/score.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchpost-attack-'));
const file = join(folder, 'scores');
const run = spawnSync('vitest', ['run', '--project=unit', 'test/attack', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, METADATA_SERVER_DETECTION: 'none', ATTACK_SCORES: file },
});
const scores = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Score)
  : [];
rmSync(folder, { recursive: true, force: true });

for (const { row, what, tried, through } of scores.toSorted(
  (a, b) => Number(a.row.slice(1)) - Number(b.row.slice(1)),
)) {
  console.log(`${row.padEnd(4)}${String(tried - through).padStart(6)} refused of ${String(tried).padEnd(6)} ${what}`);
}
const isClean = scores.length > 0 && scores.every(({ tried, through }) => tried > 0 && through === 0);
process.exitCode = run.status === 0 && isClean ? 0 : 1;
