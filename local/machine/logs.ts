import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const largestBytes = 10_000_000;
const everyMs = 60_000;

/** Begins a folder of new logs. Those of the run before are kept beside it, once. */
export function beginLogs(folder: string): void {
  const before = `${folder}.before`;
  rmSync(before, { recursive: true, force: true });
  if (existsSync(folder)) renameSync(folder, before);
  mkdirSync(folder);
}

/** Bounds the logs in a folder, until `stop`: what fills one up is moved to a file beside it, in place of what was there. */
export function boundLogs(folder: string, onProblem: (line: string) => void): { stop(): void } {
  const timer = setInterval(() => {
    try {
      rotateLogs(folder);
    } catch (error) {
      onProblem(`The logs were not moved aside: ${error instanceof Error ? error.message : error}`);
    }
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}

/** Empties each log that is too large, after a copy. Its writer only appends, so it goes on at the new end. */
export function rotateLogs(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.endsWith('.log') || statSync(path).size <= largestBytes) continue;
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  }
}
