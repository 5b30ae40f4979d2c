import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { judge, sumOf } from '../../tools/test/verdict.ts';

const steady = "test('holds', () => {});";

/** Runs the gate on one planted file. @returns its exit code, its output and the last line of it */
function runPlanted(source: string) {
  // Inside the repository, where `vitest` is found.
  mkdirSync('test-output', { recursive: true });
  const root = mkdtempSync(resolve('test-output/planted-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'planted.test.ts'), `import { expect, test } from 'vitest';\n${source}\n`);
  const { status, stdout } = spawnSync(
    'node',
    ['tools/test.ts', `--root=${root}`, 'planted', '--reporter=./tools/test/reporter.ts'],
    {
      env: { ...process.env, CI: 'true', NO_COLOR: '1' },
      encoding: 'utf8',
    },
  );
  return { status, stdout, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

describe('a run of the tests', () => {
  test('counts what passed and what failed', () => {
    const { status, lastLine } = runPlanted(`${steady} test('fails', () => expect(1).toBe(2));`);
    expect([status, lastLine]).toEqual([1, '1 passed, 1 failed']);
  });

  test('names before the count what failed, and why', () => {
    const { stdout } = runPlanted("test('fails', () => { throw new Error('no reason\\nsecond line'); });");
    expect(stdout.trimEnd().split('\n').at(-2)).toBe('failed: planted.test.ts > fails: no reason');
  });

  test('fails with a file that does not load', () => {
    const { status, lastLine } = runPlanted("throw new Error('broken');");
    expect([status, lastLine]).toEqual([1, '0 passed, 1 failed']);
  });

  test('fails when vitest ends without a report', () => {
    const { lines, isPassed } = judge(sumOf([{ passed: 5, failed: 0, failures: [], skipped: [] }, null]), {
      isOk: false,
      isGate: false,
    });
    expect([lines, isPassed]).toEqual([['5 passed, 1 failed'], false]);
  });

  test('fails when a runner says so although no test of it failed', () => {
    const { lines, isPassed } = judge(
      { passed: 5, failed: 0, failures: [], skipped: [] },
      { isOk: false, isGate: false },
    );
    expect([lines, isPassed]).toEqual([['5 passed, 1 failed'], false]);
  });

  test('is refused with a set that does not exist', () => {
    const { status, stderr } = spawnSync('node', ['tools/test.ts', '--set', 'most'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('--set is test, rest or all, and not "most"')]);
  });
});

describe('a skipped test', () => {
  test('fails the gate and is named', () => {
    const { status, stdout, lastLine } = runPlanted(`${steady} test.skip('is left out', () => {});`);
    expect(stdout).toContain('must not be skipped in CI: planted.test.ts > is left out\n');
    expect([status, lastLine]).toEqual([1, '1 passed, 1 failed, 1 skipped']);
  });

  test.each([
    ['passes elsewhere', 'a.test.ts > is left out', false, '1 passed, 0 failed, 1 skipped'],
    [
      'passes the gate where it needs Go',
      'a.test.ts > b > judges each of them correctly in Go',
      true,
      '1 passed, 0 failed, 1 skipped',
    ],
    ['passes the gate where it is Terraform', 'Terraform: not run', true, '1 passed, 0 failed, 1 skipped'],
    [
      'fails the gate with a name that ends like another',
      'a.test.ts > judges one of them correctly in Go',
      true,
      '1 passed, 1 failed, 1 skipped',
    ],
  ])('%s', (_, name, isGate, count) => {
    const { lines, isPassed } = judge({ passed: 1, failed: 0, failures: [], skipped: [name] }, { isOk: true, isGate });
    expect(lines.at(-1)).toBe(count);
    expect(isPassed).toBe(count.includes(' 0 failed'));
  });
});
