import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { firstAnswer } from './cold/cold-process.ts';
import { benches } from './frame/list.ts';
import { cpuMsOf, interleaved, median, medianAbove, percentile } from './frame/measure.ts';
import { type Row, rowOf } from './frame/row.ts';
import { inWords, recordSteps } from './frame/steps.ts';
import { countTrips } from './frame/trips.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the benches as a person does. Asynchronous, because the test runner needs answers from this process meanwhile. */
async function bench(...given: string[]): Promise<{ status: number | null; output: string }> {
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST: inject('firestoreHost') ?? '' };
  const child = spawn(process.execPath, ['tools/bench.ts', ...given], { env });
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
test('every bench that has a tiny size runs, prints its rows and keeps them', { timeout: 600_000 }, async () => {
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

test('a function takes turns with the same function of another commit', { timeout: 240_000 }, async () => {
  const json = join(folder, 'against.json');
  const { status } = await bench('--tiny', '--only', 'N1', '--against', 'HEAD', '--json', json);
  expect(status).toBe(0);
  const { rows, against } = JSON.parse(readFileSync(json, 'utf8')) as { rows: Row[]; against: string };
  expect([against, rows.map(({ beside }) => beside.map(({ name }) => name))]).toEqual([
    'HEAD',
    [
      ['the same steps by the same clients alone', 'the other tree'],
      ['the same steps by the same clients alone', 'the other tree'],
      [],
    ],
  ]);
});

test('a commit that is not there is refused and named', async () => {
  const { status, output } = await bench('--tiny', '--only', 'P10', '--against', 'no-such-commit');
  expect(status).not.toBe(0);
  expect(output).toContain('no-such-commit');
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

test('measures by turns, and the warm-up is not counted', async () => {
  const order: string[] = [];
  const work = (name: string) => async (round: number) => {
    order.push(`${name}${round}`);
    return round;
  };
  expect(await interleaved(2, { a: work('a'), b: work('b') })).toEqual({ a: [1, 2], b: [1, 2] });
  expect(order).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2']);
});

test('counts calls of the store that are under way together as one trip', async () => {
  const { store, trips } = countTrips(createMemoryStore());
  await Promise.all([store.get('alerts', ['a']), store.get('alerts', ['b']).then(() => store.get('alerts', ['c']))]);
  expect(trips.count).toBe(2);
});

test('notes what an operation asks of the store and of Cloud Tasks, for its floor', async () => {
  const { store, waker, taken } = recordSteps(createMemoryStore());
  await store.get('revisions', ['configuration']);
  await store.commit([{ kind: 'accrue', in: 'revisions', id: 'configuration', set: {}, add: { count: 1 } }]);
  await waker.wake([]);
  const steps = taken();
  expect(steps).toEqual([
    { do: 'read', paths: ['revisions/configuration'] },
    { do: 'write', writes: [{ kind: 'accrue', path: 'revisions/configuration', set: {}, add: { count: 1 } }] },
  ]);
  expect([inWords([steps, []]), taken()]).toEqual(['0.5 read, 0.5 write', []]);
  await expect(store.tail({ in: 'audit', after: null, limit: 1 })).rejects.toThrow('no floor does tail');
});

/** A program that answers with 200, after 100 ms of CPU. */
const busy = `
while (process.cpuUsage().user < 100_000);
require('node:http').createServer((_, response) => response.end()).listen(Number(process.argv[1]), '127.0.0.1');
`;

describe('another process', () => {
  test('is measured with its children', async () => {
    const child = spawn(process.execPath, ['-e', busy, '0']);
    onTestFinished(() => void child.kill('SIGKILL'));
    while (cpuMsOf([child.pid ?? 0]) < 80) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(cpuMsOf([process.pid])).toBeGreaterThan(cpuMsOf([child.pid ?? 0]));
  });

  test('has started when it gives the wanted answer, and any other is refused', async () => {
    const start = { args: (port: number) => ['-e', busy, String(port)], env: {} };
    const request = { method: 'POST', path: '/sweep', body: '{}' } as const;
    const { ms, cpuMs } = await firstAnswer({ ...start, request, status: 200 });
    expect(ms).toBeGreaterThan(100);
    expect(cpuMs).toBeGreaterThan(10);
    await expect(firstAnswer({ ...start, request, status: 204 })).rejects.toThrow('/sweep answered 200, not 204');
    const dead = { args: () => ['-e', 'process.exit(3)'], env: {} };
    await expect(firstAnswer({ ...dead, request, status: 200 })).rejects.toThrow('ended with 3');
  });
});
