import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Score } from '../test/support/score/score.ts';

/** Runs tests that report figures, and returns the figures in the order of their rows. */
export function runScored(args: string[], env: Record<string, string>): { isOk: boolean; scores: Score[] } {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-scores-'));
  const file = join(folder, 'scores');
  // No second try, because its figure would replace the first.
  const run = spawnSync('vitest', ['run', '--retry=0', ...args], {
    stdio: 'inherit',
    env: { ...process.env, METADATA_SERVER_DETECTION: 'none', ...env, SCORES: file },
  });
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  rmSync(folder, { recursive: true, force: true });
  const scores = lines.map((line) => JSON.parse(line) as Score);
  return { isOk: run.status === 0, scores: scores.toSorted((a, b) => numberOf(a) - numberOf(b)) };
}

/** @returns whether something was tried and nothing failed */
export function isClean({ tried, amiss }: Score): boolean {
  return tried > 0 && Object.values(amiss).every((count) => count === 0);
}

function numberOf({ row }: Score): number {
  return Number(row.slice(1));
}
