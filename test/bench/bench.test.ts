import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { benches } from './frame/list.ts';
import { median, medianAbove, percentile } from './frame/measure.ts';
import { type Row, rowOf } from './frame/row.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the benches as a person does. Asynchronous, because the test runner needs answers from this process meanwhile. */
async function bench(...given: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ['tools/bench.ts', ...given]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}

// A dozen processes run one after the other, which can take minutes on a busy machine.
test('every bench that has a tiny size runs, prints its rows and keeps them', { timeout: 300_000 }, async () => {
  const json = join(folder, 'kept', 'bench.json');
  const { status, output } = await bench('--tiny', '--json', json);
  expect(output).not.toContain('DID NOT RUN');
  expect(status).toBe(0);
  const { rows, failures } = JSON.parse(readFileSync(json, 'utf8')) as { rows: Row[]; failures: string[] };
  expect(failures).toEqual([]);
  const tiny = benches.filter(({ sizes }) => sizes.includes('tiny')).flatMap(({ ids }) => ids);
  expect([...new Set(rows.map(({ id }) => id))].toSorted()).toEqual(tiny.toSorted());
  for (const { id, what } of rows) expect(output).toContain(`${id.padEnd(5)}${what}`);
});

test('an unknown row in --only is refused and named', async () => {
  const { status, output } = await bench('--only', 'P99');
  expect(status).not.toBe(0);
  expect(output).toContain('no bench for P99');
});

describe('a row', () => {
  const given = { id: 'P0', what: 'work', unit: 'µs', ours: 30, beside: [{ name: 'floor', value: 20 }], goal: 30 };

  test('meets a goal or a moonshot up to its limit', () => {
    expect(rowOf({ ...given, moonshot: 25 })).toMatchObject({ ratio: 1.5, isMet: true, isMoonshotMet: false });
    expect(rowOf({ ...given, goal: 29 })).toMatchObject({ isMet: false });
    expect(rowOf({ ...given, goal: 31, sense: 'at least' })).toMatchObject({ isMet: false });
    expect(rowOf({ ...given, goal: 1.5, goalOf: 'ratio' })).toMatchObject({ isMet: true });
    expect(rowOf({ ...given, goal: 1.4, goalOf: 'ratio' })).toMatchObject({ isMet: false });
  });

  test('refuses values that are not finite', () => {
    expect(() => rowOf({ ...given, ours: Number.NaN })).toThrow('P0: work is NaN');
    expect(() => rowOf({ ...given, beside: [{ name: 'floor', value: Number.POSITIVE_INFINITY }] })).toThrow('floor');
  });
});

test('computes medians, median differences and percentiles', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  expect(medianAbove([5, 9, 7], [1, 2, 3])).toBe(4);
  expect([percentile([1, 2, 3, 4], 0.5), percentile([1, 2, 3, 4], 0.99)]).toEqual([2, 4]);
});
