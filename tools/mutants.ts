// Changes expressions of the domain and the use cases at random places of a copy, and sees which changes no test notices.
// `npm run mutants -- --sample 100 --seed 7`; `--in shared/domain/sight` (may be repeated): only there. The quick tests are run once to
// learn which of them come to each change, and are then asked about it: the nearest first. `--tests test/x.test.ts` (may be repeated):
// only these are asked.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { readImports, sourceFiles } from './imports.ts';
import { type Mutant, mutantsOf, sampleOf } from './mutants/mutations.ts';
import { testsThatReach } from './mutants/reached.ts';

/** Time limit that detects a change which causes an endless loop, milliseconds. */
const longest = 240_000;
/** Tests that start servers or use random input are not run. */
const slow = /^test\/(attack|fault|e2e|bench|contract|console|terraform|local)\//;
const leftBehind = /^(node_modules|\.git|dist|\.local|test-output)$/;
/** Number of test files that run first. They detect most changes, and the others need not be loaded. */
const nearest = 4;
/** Number of test files that run for a change in code that runs when a module is loaded: every importing test reaches it. */
const mostOfLoading = 12;

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string' },
    in: { type: 'string', multiple: true },
    tests: { type: 'string', multiple: true },
  },
});
const [sample, seed] = [Number(values.sample ?? 100), Number(values.seed ?? 1)];
const places = values.in ?? ['shared/domain', 'shared/app'];

const all = sourceFiles('.', ['shared', 'functions'])
  .filter((file) => places.some((place) => file === place || file.startsWith(`${place}/`)))
  .flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
const importers = Map.groupBy(readImports('.', sourceFiles('.', ['shared', 'functions', 'test'])), ({ to }) => to);

const root = realpathSync(mkdtempSync(join(tmpdir(), 'mutants-')));
cpSync('.', root, { recursive: true, filter: (path) => !leftBehind.test(path) });
symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));

/** `timed out` counts as detected, but on a busy machine the tests may only be slow: a person should check such rows. */
type Result = 'killed' | 'timed out' | 'SURVIVED';
const counts = new Map<Result, number>();
const chosen = sampleOf(all, sample, seed);
const failing = new Set<string>();
const candidates = [...new Set(chosen.flatMap(({ file }) => testsOf(file)))];
const reached = testsThatReach(root, chosen, () => learn(candidates));
if (failing.size > 0) console.log(`not asked, since they fail without a change: ${[...failing].join(', ')}`);
for (const [at, mutant] of chosen.entries()) {
  const near = testsOf(mutant.file).filter((test) => !failing.has(test));
  const those = reached.get(at);
  const tests = those ? near.filter((test) => those.includes(test)) : near.slice(0, mostOfLoading);
  const result = tests.length === 0 ? 'SURVIVED' : resultOf(mutant, tests);
  const { file, line, from, to } = mutant;
  const row = `${file}:${line} ${JSON.stringify(from)} -> ${JSON.stringify(to)} (${tests.length} test files)`;
  console.log(`${at + 1}/${chosen.length} ${result.padEnd(9)} ${row}`);
  counts.set(result, (counts.get(result) ?? 0) + 1);
}
rmSync(root, { recursive: true, force: true });
const totals = [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
console.log(`${all.length} changes can be made; of ${chosen.length} (seed ${seed}): ${totals}`);

/** The test files that import a module directly or indirectly, the nearest first. */
function testsOf(file: string): string[] {
  const seen = new Set([file]);
  const tests: string[] = [];
  for (const module of seen) {
    if (/\.test\.ts$/.test(module) && isAsked(module)) tests.push(module);
    for (const { from } of importers.get(module) ?? []) seen.add(from);
  }
  return tests;
}

function isAsked(test: string): boolean {
  return values.tests ? values.tests.includes(test) : !slow.test(test);
}

/** Runs all possible tests once. Test files that fail without any change would count every change as detected. */
function learn(tests: readonly string[]): void {
  const report = join(root, 'mutants.json');
  vitest(['--reporter=json', `--outputFile=${report}`, ...tests]);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; status: string }[];
  };
  for (const { name, status } of testResults) if (status !== 'passed') failing.add(relative(root, name));
}

/**
 * Runs tests in the copy.
 * @returns the exit code; null: they exceeded the time limit
 */
function vitest(args: readonly string[], timeout?: number): number | null {
  return spawnSync('vitest', ['run', '--project=unit', ...args], {
    cwd: root,
    stdio: 'ignore',
    ...(timeout ? { timeout } : {}),
    env: { ...process.env, METADATA_SERVER_DETECTION: 'none' },
  }).status;
}

function resultOf({ file, start, end, to }: Mutant, tests: readonly string[]): Result {
  const source = readFileSync(file, 'utf8');
  writeFileSync(join(root, file), source.slice(0, start) + to + source.slice(end));
  const ask = (some: readonly string[]): Result => {
    if (some.length === 0) return 'SURVIVED';
    const status = vitest(['--bail=1', '--reporter=dot', ...some], longest);
    if (status === null) return 'timed out';
    return status === 0 ? 'SURVIVED' : 'killed';
  };
  const first = ask(tests.slice(0, nearest));
  const result = first === 'SURVIVED' ? ask(tests.slice(nearest)) : first;
  writeFileSync(join(root, file), source);
  return result;
}
