import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failuresOf, type Judged, judgedNight, type Order, report } from '../../support/night/nights.ts';

const { FAULT_SEED, NIGHT_SEEDS, NIGHT_OF } = process.env;
/** FAULT_SEED: only this one; NIGHT_SEEDS: the number of seeds. */
const seeds = FAULT_SEED ? [Number(FAULT_SEED)] : Array.from({ length: Number(NIGHT_SEEDS ?? 10) }, (_, at) => at + 1);
/** An operator who answers three minutes after each SMS, and one who never does. */
const orders = seeds.flatMap((seed) =>
  [180, null].flatMap((answersAfter): Order[] => [
    { seed, size: 'full', answersAfter },
    // NIGHT_OF: another checkout, whose figures are printed beside ours.
    ...(NIGHT_OF ? [{ seed, size: 'full' as const, answersAfter, of: NIGHT_OF }] : []),
  ]),
);
const judged = new Map<Order, Judged>();

beforeAll(async () => {
  const queue = orders.values();
  const lane = async () => {
    for (const order of queue) {
      const verdict = await judgedNight(order);
      judged.set(order, verdict);
      report(order, verdict);
      console.log(`seed ${order.seed}, ${order.answersAfter ?? 'no'} answer: ${verdict.tookSeconds} s`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), orders.length) }, lane));
}, 6 * 3_600_000);
afterAll(() => judged.clear());

const own = orders.filter(({ of }) => !of);

test.each(own)(
  'in the night of seed $seed with an answer after $answersAfter s, every message is true and told in time',
  (order) => {
    const verdict = judged.get(order);
    if (!verdict) throw new Error('it was not lived through');
    const none = { false: [], unreadable: [], unended: [], untold: [], sms: [], late: [], lateSilences: [] };
    expect(failuresOf(verdict)).toEqual(none);
  },
);
