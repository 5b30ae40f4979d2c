import { expect, test } from 'vitest';
import { ledger, sizeOf } from '../../support/score.ts';
import { check } from '../../support/simulation/checker.ts';
import { simulate } from '../../support/simulation/simulation.ts';

const given = (name: string) => (process.env[name] === undefined ? null : Number(process.env[name]));
const onlySeed = given('FAULT_SEED');
const isAsked = [onlySeed, given('FAULT_EVENTS'), given('FAULT_SEEDS')].some((number) => number !== null);
/** Many fleets of ten cameras, a few of a hundred; `FAULT_SEEDS` and `FAULT_EVENTS` ask for another size, `FAULT_SEED` for one run and its trace. */
const sizes = [
  { events: given('FAULT_EVENTS') ?? sizeOf(400, 1000), seeds: given('FAULT_SEEDS') ?? sizeOf(3, 200) },
  ...(isAsked || sizeOf(0, 1) === 0 ? [] : [{ events: 10_000, seeds: 4 }]),
];

test.each(sizes)(
  'a fleet that lives through every fault at random loses nothing in $events events × $seeds seeds',
  { timeout: 4 * 3_600_000 },
  async ({ events, seeds }) => {
    const chosen = onlySeed === null ? Array.from({ length: seeds }, (_, index) => index + 1) : [onlySeed];
    const total = { tried: 0, lost: 0, wrong: 0, doubled: 0 };
    const sums = { kills: 0, sent: 0, completed: 0, failed: 0, held: 0, repeats: 0 };
    const amiss: string[] = [];
    for (const seed of chosen) {
      const run = await simulate({ seed, events, ...(onlySeed === null ? {} : { trace: console.log }) });
      const checked = await check(run);
      total.tried += checked.tried;
      sums.kills += run.kills;
      sums.repeats += checked.repeats;
      for (const name of ['sent', 'completed', 'failed', 'held'] as const) sums[name] += checked.ledger[name];
      for (const kind of ['lost', 'wrong', 'doubled'] as const) {
        total[kind] += checked[kind].length;
        amiss.push(...checked[kind].map((what) => `FAULT_SEED=${seed} FAULT_EVENTS=${events}: ${kind} ${what}`));
      }
    }
    const { sent, completed, failed, held, kills, repeats } = sums;
    const what = `${events} events × ${chosen.length} seeds: ${kills} kills; ${sent} deliveries = ${completed} completed + ${failed} failed + ${held} held, ${repeats} repeats`;
    ledger('R1', what, total);
    expect(amiss.slice(0, 20)).toEqual([]);
    expect(sent).toBe(completed + failed + held);
    expect(total.tried).toBeGreaterThanOrEqual(chosen.length * events * 0.9);
  },
);

test('the same seed gives the same run, to the last line of its trace', { timeout: 600_000 }, async () => {
  const trace = async () => {
    const lines: string[] = [];
    await simulate({ seed: 5, events: 150, trace: (line) => lines.push(line) });
    return lines;
  };
  const first = await trace();
  expect(await trace()).toEqual(first);
  expect(first.length).toBeGreaterThan(500);
});
