// Changes expressions of the domain and the use cases at random places of a copy, and sees which changes no test notices.
// `npm run mutants -- --sample 100 --seed 7`; `--tests 6`: how many of the test files that reach a change are asked, the nearest first.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { readImports, sourceFiles } from './imports.ts';
import { type Mutant, mutantsOf, sampleOf } from './mutants/mutations.ts';

/** A change that lets a loop run for ever is noticed by this, milliseconds. */
const longest = 240_000;
/** Tests that start servers, or that try at random, are not asked. */
const slow = /^test\/(attack|fault|e2e|bench|contract|console|terraform|local)\//;
const leftBehind = /^(node_modules|\.git|dist|\.local|test-output)$/;

const { values } = parseArgs({
  options: { sample: { type: 'string' }, seed: { type: 'string' }, tests: { type: 'string' } },
});
const [sample, seed, most] = [Number(values.sample ?? 100), Number(values.seed ?? 1), Number(values.tests ?? 6)];

const all = sourceFiles('.', ['shared/domain', 'shared/app']).flatMap((file) =>
  mutantsOf(file, readFileSync(file, 'utf8')),
);
const importers = Map.groupBy(readImports('.', sourceFiles('.', ['shared', 'functions', 'test'])), ({ to }) => to);

const root = realpathSync(mkdtempSync(join(tmpdir(), 'mutants-')));
cpSync('.', root, { recursive: true, filter: (path) => !leftBehind.test(path) });
symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));

/** `timed out` counts as noticed, but on a busy machine it may only be slow: such rows are read by a person. */
type Result = 'killed' | 'timed out' | 'SURVIVED';
const counts = new Map<Result, number>();
const chosen = sampleOf(all, sample, seed);
const testsOfFile = new Map(chosen.map(({ file }) => [file, testsOf(file).slice(0, most)]));
const failing = failingAnyway([...new Set([...testsOfFile.values()].flat())]);
if (failing.size > 0) console.log(`not asked, since they fail without a change: ${[...failing].join(', ')}`);
for (const [at, mutant] of chosen.entries()) {
  const tests = (testsOfFile.get(mutant.file) ?? []).filter((test) => !failing.has(test));
  const result = tests.length === 0 ? 'SURVIVED' : resultOf(mutant, tests);
  const { file, line, from, to } = mutant;
  const row = `${file}:${line} ${JSON.stringify(from)} -> ${JSON.stringify(to)} (${tests.length} test files)`;
  console.log(`${at + 1}/${chosen.length} ${result.padEnd(9)} ${row}`);
  counts.set(result, (counts.get(result) ?? 0) + 1);
}
rmSync(root, { recursive: true, force: true });
const totals = [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
console.log(`${all.length} changes can be made; of ${chosen.length} (seed ${seed}): ${totals}`);

/** The test files that reach a module by their imports, the nearest first. */
function testsOf(file: string): string[] {
  const seen = new Set([file]);
  const tests: string[] = [];
  for (const module of seen) {
    if (/\.test\.ts$/.test(module) && !slow.test(module)) tests.push(module);
    for (const { from } of importers.get(module) ?? []) seen.add(from);
  }
  return tests;
}

/** Test files that fail as things are: they would call every change noticed. */
function failingAnyway(tests: readonly string[]): Set<string> {
  const report = join(root, 'mutants.json');
  vitest(['--reporter=json', `--outputFile=${report}`, ...tests]);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; status: string }[];
  };
  return new Set(testResults.flatMap(({ name, status }) => (status === 'passed' ? [] : [relative(root, name)])));
}

/** Runs tests in the copy. @returns the exit code; null: they did not end in time */
function vitest(args: readonly string[], timeout?: number): number | null {
  return spawnSync('vitest', ['run', '--project=unit', ...args], {
    cwd: root,
    ...(timeout ? { timeout } : {}),
    env: { ...process.env, METADATA_SERVER_DETECTION: 'none' },
  }).status;
}

function resultOf({ file, start, end, to }: Mutant, tests: readonly string[]): Result {
  const source = readFileSync(file, 'utf8');
  writeFileSync(join(root, file), source.slice(0, start) + to + source.slice(end));
  const status = vitest(['--bail=1', '--reporter=dot', ...tests], longest);
  writeFileSync(join(root, file), source);
  if (status === null) return 'timed out';
  return status === 0 ? 'SURVIVED' : 'killed';
}
