// Runs the tests. The last lines name tests that passed only on a second try, and the count: `N passed, N failed`. Arguments are passed to vitest.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, installChromium } from './chromium.ts';
import { judge, type Report } from './test/verdict.ts';

const args = process.argv.slice(2);
const browserFault = readyBrowser(args);
if (browserFault) console.log(`Browser tests are left out: ${browserFault}`);

const folder = mkdtempSync(join(tmpdir(), 'watchpost-test-'));
const reportFile = join(folder, 'report.json');
const env = {
  ...process.env,
  // All temporary files of the tests are in this folder and are removed with it. Stacks share their compile cache, which saves a third of their work.
  TMPDIR: folder,
  NODE_COMPILE_CACHE: join(folder, 'compiled'),
  METADATA_SERVER_DETECTION: 'none',
  TEST_REPORT: reportFile,
};
const reporter = join(import.meta.dirname, 'test', 'reporter.ts');
const run = spawnSync('vitest', ['run', '--reporter=default', `--reporter=${reporter}`, ...args], {
  stdio: 'inherit',
  env,
});
const { lines, isPassed } = judge(readReport(), { isOk: run.status === 0, isGate: process.env['CI'] === 'true' });
rmSync(folder, { recursive: true, force: true });
for (const line of lines) console.log(line);
process.exitCode = isPassed ? 0 : 1;

/**
 * Prepares a browser and a fresh build of the console, if the run can include tests that need them.
 * @returns why there is no browser, or null
 */
function readyBrowser(filters: readonly string[]): string | null {
  const names = filters.filter((filter) => !filter.startsWith('-'));
  if (filters.some((filter) => filter.startsWith('--project=unit'))) return null;
  if (names.length > 0 && !names.some((name) => 'test/e2e/console-'.includes(name) || name.includes('console')))
    return null;
  if (!(findChromium() ?? installChromium()))
    return 'no Chromium on PATH or in CHROME_PATH, and apt may not install one.';
  // Built once for all test files: a build deletes the files that the browser of another test is loading.
  const { status } = spawnSync(process.execPath, ['tools/build-console.ts'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the console does not build');
  return null;
}

function readReport(): Report | null {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return null;
  }
}
