import { expect, test } from 'vitest';
import { ledger, sizeOf } from '../../support/score.ts';
import { check } from '../../support/simulation/checker.ts';
import { simulate } from '../../support/simulation/simulation.ts';

const events = Number(process.env['FAULT_EVENTS'] ?? sizeOf(500, 10_000));
const seeds = Number(process.env['FAULT_SEEDS'] ?? sizeOf(6, 200));
const onlySeed = process.env['FAULT_SEED'];
const patienceMs = 60_000 + seeds * events * 20;

test('a fleet that lives through every fault at random loses nothing, and all ends as it was said', {
  timeout: patienceMs,
}, async () => {
  const chosen = onlySeed === undefined ? Array.from({ length: seeds }, (_, index) => index + 1) : [Number(onlySeed)];
  const total = { tried: 0, lost: 0, wrong: 0, doubled: 0 };
  const sums = { kills: 0, sent: 0, completed: 0, failed: 0, held: 0, repeats: 0 };
  const amiss: string[] = [];
  for (const seed of chosen) {
    const run = await simulate({ seed, events, ...(onlySeed === undefined ? {} : { trace: console.log }) });
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
  const what = `events × ${chosen.length} seeds: ${kills} kills; ${sent} deliveries = ${completed} + ${failed} failed + ${held} held, ${repeats} repeats`;
  ledger('R1', `${events} ${what}`, total);
  console.log(`${total.tried} ${what}`);
  expect(amiss.slice(0, 20)).toEqual([]);
  expect(sent).toBe(completed + failed + held);
  expect(total.tried).toBeGreaterThanOrEqual(chosen.length * events * 0.9);
});

test('the same seed gives the same run, to the last line of its trace', async () => {
  const trace = async () => {
    const lines: string[] = [];
    await simulate({ seed: 5, events: 150, trace: (line) => lines.push(line) });
    return lines;
  };
  const first = await trace();
  expect(await trace()).toEqual(first);
  expect(first.length).toBeGreaterThan(500);
});
