// Runs the tests of a set: `--set test` (the default), `rest` or `all` (the default where a file or folder is named). The last line is the count:
// `N passed, N failed`. Other arguments go to vitest.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, installChromium } from './chromium.ts';
import { judge, keepReport, type Report, readReport, sumOf } from './test/verdict.ts';

/**
 * Two runs of vitest at the same time. Files of `stack` wait more than they work; the others only work, and take what is left of the processor.
 * In one run vitest would not keep the modules that a worker has loaded.
 */
const lanes = ['stack', 'unit*'];

const { set, args } = readArguments(process.argv.slice(2));
const browserFault = readyBrowser(args);
if (browserFault) console.log(`Browser tests are left out: ${browserFault}`);

const folder = mkdtempSync(join(tmpdir(), 'watchpost-test-'));
const env = {
  ...process.env,
  // All temporary files of the tests are in this folder and are removed with it. Stacks share their compile cache, which saves a third of their work.
  TMPDIR: folder,
  NODE_COMPILE_CACHE: join(folder, 'compiled'),
  METADATA_SERVER_DETECTION: 'none',
  TEST_SET: set,
};
const isChosen = args.some((argument) => /^--(project|root)/.test(argument));
const runs = isChosen ? [run('all', [])] : lanes.map((lane) => run(lane, [`--project=${lane}`, '--passWithNoTests']));
const results = await Promise.all(runs);
rmSync(folder, { recursive: true, force: true });

const report = sumOf(results.map((result) => result.report));
const { lines, isPassed } = judge(report, {
  isOk: results.every(({ isOk }) => isOk),
  isGate: process.env['CI'] === 'true',
});
keepReport(report);
for (const line of lines) console.log(line);
process.exitCode = isPassed ? 0 : 1;

/** Runs vitest once. */
async function run(lane: string, options: string[]): Promise<{ isOk: boolean; report: Report | null }> {
  const file = join(folder, `${lane.replace('*', '')}.json`);
  const child = spawn('vitest', ['run', ...options, ...args], { stdio: 'inherit', env: { ...env, TEST_REPORT: file } });
  if (lane === 'unit*') yieldToOthers(child);
  const code = await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  return { isOk: code === 0, report: readReport(file) };
}

/** A third of the share of others: enough to go on beside them. */
function yieldToOthers({ pid }: ChildProcess): void {
  if (pid) setPriority(pid, 5);
}

function readArguments(given: readonly string[]): { set: string; args: string[] } {
  const at = given.indexOf('--set');
  if (at < 0) return { set: given.some((argument) => !argument.startsWith('-')) ? 'all' : 'test', args: [...given] };
  const set = given[at + 1] ?? '';
  if (!['test', 'rest', 'all'].includes(set)) throw new Error(`--set is test, rest or all, and not "${set}"`);
  return { set, args: given.toSpliced(at, 2) };
}

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
