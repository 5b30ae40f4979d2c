import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { judge } from '../../tools/test/verdict.ts';

const steady = "test('holds', () => {});";
const flaky = (name: string) =>
  `let ${name} = 0; test('${name}', () => { ${name} += 1; expect(${name}, '${name} was early').toBe(2); });`;

/** Runs the gate on one planted file. @returns its exit code, its output and the last two lines of it */
function runPlanted(source: string) {
  // Inside the repository, where `vitest` is found.
  mkdirSync('test-output', { recursive: true });
  const root = mkdtempSync(resolve('test-output/planted-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'planted.test.ts'), `import { expect, test } from 'vitest';\n${source}\n`);
  const { status, stdout } = spawnSync('node', ['tools/test.ts', `--root=${root}`, 'planted', '--retry=1'], {
    env: { ...process.env, CI: 'true', NO_COLOR: '1' },
    encoding: 'utf8',
  });
  return { status, stdout, lastLines: stdout.trimEnd().split('\n').slice(-2) };
}

describe('a run of the tests', () => {
  test('prints the failures before a second try, and counts these tests', () => {
    const { status, stdout, lastLines } = runPlanted([steady, flaky('one'), flaky('two')].join('\n'));
    const printed = stdout.slice(stdout.indexOf('passed on a second try: '));
    expect(printed).toMatch(
      /^passed on a second try: planted\.test\.ts > one\n {2}AssertionError: one was early: expected 1 to be 2/,
    );
    expect(printed).toMatch(/\n {2}at .*planted\.test\.ts:3:\d+\npassed on a second try: planted\.test\.ts > two\n/);
    expect(lastLines).toEqual(['2 passed on a second try', '3 passed, 0 failed']);
    expect(status).toBe(0);
  });

  test('fails when more than two tests need a second try', () => {
    const { status, lastLines } = runPlanted(['one', 'two', 'three'].map(flaky).join('\n'));
    expect(lastLines).toEqual(['3 passed on a second try: more than 2 fail the run', '3 passed, 1 failed']);
    expect(status).toBe(1);
  });

  test('fails with a file that does not load', () => {
    const { status, lastLines } = runPlanted("throw new Error('broken');");
    expect(lastLines).toEqual(['0 passed on a second try', '0 passed, 1 failed']);
    expect(status).toBe(1);
  });

  test('counts tests that failed at each try', () => {
    const { lines, isPassed } = judge(
      { passed: 1, failed: 2, skipped: [], secondTries: [] },
      { isOk: false, isGate: true },
    );
    expect(lines.at(-1)).toBe('1 passed, 2 failed');
    expect(isPassed).toBe(false);
  });

  test('fails when vitest ends without a report', () => {
    const lines = ['0 passed on a second try', '0 passed, 1 failed'];
    expect(judge(null, { isOk: false, isGate: false })).toEqual({ lines, isPassed: false });
  });
});

describe('a skipped test', () => {
  test('fails the gate and is named', () => {
    const { status, stdout, lastLines } = runPlanted(`${steady} test.skip('is left out', () => {});`);
    expect(stdout).toContain('must not be skipped in CI: planted.test.ts > is left out\n');
    expect(lastLines.at(-1)).toBe('1 passed, 1 failed, 1 skipped');
    expect(status).toBe(1);
  });

  const isOk = true;
  test.each([
    ['passes elsewhere', 'a.test.ts > is left out', { isOk, isGate: false }, '1 passed, 0 failed, 1 skipped'],
    [
      'passes the gate where it needs Go',
      'a.test.ts > b > judges each of them correctly in Go',
      { isOk, isGate: true },
      '1 passed, 0 failed, 1 skipped',
    ],
    [
      'fails the gate with a name that ends like that of another',
      'a.test.ts > judges one of them correctly in Go',
      { isOk, isGate: true },
      '1 passed, 1 failed, 1 skipped',
    ],
  ])('%s', (_, name, run, count) => {
    const { lines, isPassed } = judge({ passed: 1, failed: 0, skipped: [name], secondTries: [] }, run);
    expect(lines.at(-1)).toBe(count);
    expect(isPassed).toBe(count.includes(' 0 failed'));
  });
});
