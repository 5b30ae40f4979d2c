// Runs the tests and closes with one line that counts them: `N passed, N failed`. Arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, installChromium } from './chromium.ts';

const browserFault = readyBrowser(process.argv.slice(2));
if (browserFault) console.log(`Browser tests are left out: ${browserFault}`);

const folder = mkdtempSync(join(tmpdir(), 'watchpost-test-'));
const report = 'test-output/report.json';
rmSync(report, { force: true });
/** Whatever the tests leave behind goes with the folder. What one stack has compiled the next need not: a third of their work. */
const shared = { TMPDIR: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') };
const run = spawnSync(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, ...shared, METADATA_SERVER_DETECTION: 'none' } },
);
const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, success = false } = readReport();
rmSync(folder, { recursive: true, force: true });
// A file that fails to load has no tests to count, yet it is a failure.
const isBrowserWanted = browserFault !== null && process.env['CI'] === 'true';
const failed =
  (isBrowserWanted ? 1 : 0) + numFailedTests + (numFailedTests === 0 && !(success && run.status === 0) ? 1 : 0);
console.log(`${numPassedTests} passed, ${failed} failed${numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''}`);
process.exitCode = failed > 0 || numPassedTests === 0 ? 1 : 0;

/** Sees to a browser and a console of now where the run can include tests that need them. @returns why there is no browser, or null */
function readyBrowser(filters: readonly string[]): string | null {
  const names = filters.filter((filter) => !filter.startsWith('-'));
  if (names.length > 0 && !names.some((name) => 'test/e2e/console-'.includes(name) || name.includes('console')))
    return null;
  if (!(findChromium() ?? installChromium()))
    return 'no Chromium on PATH or in CHROME_PATH, and apt may not install one.';
  // Once for all files: a build takes the files away that another test is being served.
  const { status } = spawnSync('vite', ['build', 'console', '--logLevel', 'warn'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the console does not build');
  return null;
}

function readReport(): Record<string, never> & {
  numPassedTests?: number;
  numFailedTests?: number;
  numPendingTests?: number;
  success?: boolean;
} {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {};
  }
}
