// Mutation test: changes expressions of the domain and the use cases at random places in a copy, and prints for each
// whether a test notices it. `npm run mutants -- --sample 100 --seed 7`. The quick tests first run once without a
// change, to learn which of them execute the function of each change. Only these then run for it: first those that
// import the changed file, the quickest first. `--in shared/domain/sight`: changes only there. `--tests test/shared` (a
// file or a folder): only these tests. Both may be repeated. `--workers 2`: the number of processes, each with its own
// copy.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { readImports, sourceFiles } from './imports.ts';
import { Asker } from './mutants/asker.ts';
import { type Mutant, mutantsOf, sampleOf } from './mutants/mutations.ts';
import { testsThatReach } from './mutants/reached.ts';

/**
 * Time limit of the tests of a change, which detects endless loops: `atLeast` milliseconds plus `times` their duration
 * without a change.
 */
const longest = { atLeast: 60_000, times: 10 };
/** Tests that start servers, use random input, or check documents and tools run only if `--tests` names them. */
const slow = /^test\/(attack|fault|e2e|bench|contract|console|terraform|local|docs|tools|e2e-full)\//;
const leftBehind = /^(node_modules|\.git|dist|\.local|test-output)$/;
/**
 * Sizes of the groups in which the test files of a change run. The first files detect most changes, so the next groups
 * need not be loaded.
 */
const portions = [1, 3, 12, Number.POSITIVE_INFINITY];
/**
 * Maximum number of test files for a change whose function no test executes, such as code that runs while its module is
 * loaded.
 */
const mostOfLoading = 12;

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string' },
    in: { type: 'string', multiple: true },
    tests: { type: 'string', multiple: true },
    workers: { type: 'string' },
  },
});
const [sample, seed, workers] = [Number(values.sample ?? 100), Number(values.seed ?? 1), Number(values.workers ?? 1)];
const places = values.in ?? ['shared/domain', 'shared/app'];

const all = sourceFiles('.', ['shared', 'functions'])
  .filter((file) => places.some((place) => file === place || file.startsWith(`${place}/`)))
  .flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
const importers = Map.groupBy(readImports('.', sourceFiles('.', ['shared', 'functions', 'test'])), ({ to }) => to);

/** `timed out` counts as detected, but on a busy machine the tests may only be slow: a person should check such rows. */
type Result = 'killed' | 'timed out' | 'SURVIVED';
const counts = new Map<Result, number>();
const chosen = sampleOf(all, sample, seed);
/** How long each test file takes without a change, milliseconds. */
const durations = new Map<string, number>();
const failing = new Set<string>();
const candidates = [...new Set(chosen.flatMap(({ file }) => testsOf(file).map(({ test }) => test)))];
const first = copy();
const reached = testsThatReach(first, chosen, () => learn(first, candidates));
if (failing.size > 0) console.log(`not asked, since they fail without a change: ${[...failing].join(', ')}`);

const left = chosen.entries();
await Promise.all(Array.from({ length: workers }, (_, at) => work(new Asker(at === 0 ? first : copy()))));
const totals = [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
console.log(`${all.length} changes can be made; of ${chosen.length} (seed ${seed}): ${totals}`);

function copy(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mutants-')));
  cpSync('.', root, { recursive: true, filter: (path) => !leftBehind.test(path) });
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  return root;
}

async function work(asker: Asker): Promise<void> {
  for (const [at, mutant] of left) {
    const tests = testsFor(at, mutant);
    const result = await resultOf(asker, mutant, tests);
    const { file, line, from, to } = mutant;
    const row = `${file}:${line} ${JSON.stringify(from)} -> ${JSON.stringify(to)} (${tests.length} test files)`;
    console.log(`${at + 1}/${chosen.length} ${result.padEnd(9)} ${row}`);
    counts.set(result, (counts.get(result) ?? 0) + 1);
  }
  await asker.end();
  rmSync(asker.root, { recursive: true, force: true });
}

/** The test files that execute the changed function: first those that import its module, then the others, the quickest first in each part. */
function testsFor(at: number, { file }: Mutant): string[] {
  const near = testsOf(file).filter(({ test }) => !failing.has(test));
  const those = reached.get(at);
  const asked = those ? near.filter(({ test }) => those.includes(test)) : near.slice(0, mostOfLoading);
  const duration = (test: string) => durations.get(test) ?? 0;
  return asked
    .toSorted((a, b) => Number(b.isNext) - Number(a.isNext) || duration(a.test) - duration(b.test))
    .map(({ test }) => test);
}

/** The test files that import a module directly or indirectly, the nearest first. */
function testsOf(file: string): { test: string; isNext: boolean }[] {
  const seen = new Set([file]);
  const tests: { test: string; isNext: boolean }[] = [];
  const next = new Set(importers.get(file)?.map(({ from }) => from));
  for (const module of seen) {
    if (/\.test\.ts$/.test(module) && isAsked(module)) tests.push({ test: module, isNext: next.has(module) });
    for (const { from } of importers.get(module) ?? []) seen.add(from);
  }
  return tests;
}

function isAsked(test: string): boolean {
  return values.tests ? values.tests.some((place) => test.startsWith(place)) : !slow.test(test);
}

/**
 * Runs the candidate tests once, for their durations. A file that fails without a change is left out: it would seem to
 * detect every change.
 */
function learn(root: string, tests: readonly string[]): void {
  const report = join(root, 'mutants.json');
  spawnSync(
    'vitest',
    ['run', '--project=unit', '--project=unit-apart', '--reporter=json', `--outputFile=${report}`, ...tests],
    {
      cwd: root,
      stdio: 'ignore',
      env: { ...process.env, METADATA_SERVER_DETECTION: 'none' },
    },
  );
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; status: string; startTime: number; endTime: number }[];
  };
  for (const { name, status, startTime, endTime } of testResults) {
    durations.set(relative(root, name), endTime - startTime);
    if (status !== 'passed') failing.add(relative(root, name));
  }
}

async function resultOf(asker: Asker, mutant: Mutant, tests: readonly string[]): Promise<Result> {
  const { file, start, end, to } = mutant;
  const changed = join(asker.root, file);
  const source = readFileSync(changed, 'utf8');
  writeFileSync(changed, source.slice(0, start) + to + source.slice(end));
  let result: Result = 'SURVIVED';
  let asked = 0;
  for (const portion of portions) {
    const some = tests.slice(asked, asked + portion);
    asked += some.length;
    if (some.length === 0 || result !== 'SURVIVED') break;
    const usual = some.reduce((sum, test) => sum + (durations.get(test) ?? 0), 0);
    const isNoticed = await asker.isNoticed({ changed: file, tests: some }, longest.atLeast + longest.times * usual);
    result = isNoticed === null ? 'timed out' : isNoticed ? 'killed' : 'SURVIVED';
  }
  writeFileSync(changed, source);
  return result;
}
