import { beforeEach, describe, expect, test } from 'vitest';
import { type Clock, type ClockWitness, createClock } from '../../../shared/adapters/clock.ts';

const hour = 3_600_000;
const start = Date.parse('2026-11-20T10:00:00.000Z');
/** The right time, and how far each clock is ahead of it. */
let passed: number;
let ahead: { own: number } & Record<ClockWitness, number>;
let clock: Clock;
let lines: [string, object][];
let asked: number;

const answer = (witness: ClockWitness, tookMs = 20) => {
  const askedMs = clock.elapsedMs();
  passed += tookMs;
  clock.hear(witness, start + passed + ahead[witness], askedMs);
};
const wrongBy = () => clock.ms() - start - passed;

beforeEach(() => {
  [passed, asked, lines] = [0, 0, []];
  ahead = { own: 0, store: 0, issuer: 0 };
  clock = createClock(
    () => start + passed + ahead.own,
    () => passed,
  );
  const line = (event: string, fields: object) => void lines.push([event, fields]);
  const ask = async () => {
    asked += 1;
    answer('store');
  };
  clock.attach(ask, { info: line, warn: line, error: line });
});

describe.each([hour, -hour])('one clock is %i ms ahead', (by) => {
  test.each(['own', 'store', 'issuer'] as const)('that of %s: the two others are believed', async (name) => {
    ahead[name] = by;
    await clock.settle();
    answer('issuer');
    expect(Math.abs(wrongBy())).toBeLessThan(50);
    expect(lines.at(-1)).toEqual(['clock.wrong', { aheadSeconds: { [name]: by / 1000 } }]);
    passed += 10 * hour;
    answer('store');
    answer('issuer');
    expect(Math.abs(wrongBy())).toBeLessThan(50);
    expect(lines.filter(([event]) => event === 'clock.wrong').length).toBeLessThanOrEqual(2);
  });

  test('our own is moved while the process runs: what was known goes on, and the next request asks the store', async () => {
    await clock.settle();
    answer('issuer');
    ahead.own = by;
    passed += 7;
    expect(wrongBy()).toBe(0);
    await clock.settle();
    expect([asked, wrongBy()]).toEqual([2, 0]);
    ahead.own = 0;
    await clock.settle();
    expect([asked, wrongBy()]).toEqual([3, 0]);
    expect(lines.map(([event]) => event)).toEqual(['clock.wrong', 'clock.right']);
  });

  test('our own, and the issuer has not been asked: the store is believed', async () => {
    ahead.own = by;
    await clock.settle();
    expect(Math.abs(wrongBy())).toBeLessThan(50);
  });
});

test('before the store has answered, our own clock counts, whatever an issuer says', () => {
  ahead.issuer = hour;
  answer('issuer');
  expect(wrongBy()).toBe(0);
});

test('a slow answer and one as of a second ago move nothing', async () => {
  await clock.settle();
  answer('store', 30_000);
  ahead.store = -1000;
  answer('store');
  expect([asked, wrongBy(), lines]).toEqual([1, 0, []]);
});

test('the machine slept, so that the monotonic clock stood still: the store is asked, and our own clock was right', async () => {
  let slept = 0;
  clock = createClock(
    () => start + passed + slept,
    () => passed,
  );
  clock.attach(async () => clock.hear('store', start + passed + slept, clock.elapsedMs()), {
    info() {},
    warn() {},
    error() {},
  });
  await clock.settle();
  clock.hear('issuer', start + passed, clock.elapsedMs());
  slept = hour;
  await clock.settle();
  expect(clock.ms()).toBe(start + passed + slept);
});

test('a store that is away keeps no request waiting for longer than two seconds', async () => {
  clock.attach(() => new Promise(() => {}), { info() {}, warn() {}, error() {} });
  const startedMs = performance.now();
  await clock.settle();
  expect(performance.now() - startedMs).toBeLessThan(4000);
  expect(wrongBy()).toBe(0);
});
