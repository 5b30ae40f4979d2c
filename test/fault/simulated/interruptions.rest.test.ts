import { beforeAll, expect, test } from 'vitest';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { type Interrupt, liveInterrupted, type Outcome } from '../../support/simulation/interruptions.ts';
import { storeErrors } from '../../support/stores/faulty-store.ts';
import { onStore, sizeOnStore, storesOfRun } from '../../support/stores/store-of-run.ts';

const stores = storesOfRun();
/** Every `stride`-th call is tried; `npm run fault` tries all. */
const stride = sizeOf(25, 1);

function compare(clean: Outcome, outcome: Outcome) {
  // Whether a message that a digest took has a record of its own depends on what was sent before it.
  const isGathered = (line: string) => line.endsWith(' settled') && line.startsWith('delivery ');
  const gathered = new Set([...clean.gathered, ...outcome.gathered]);
  const differs = (line: string, other: Outcome) =>
    !other.state.includes(line) && !(isGathered(line) && gathered.has(line.split(' ')[1] ?? ''));
  const lost = clean.state.filter((line) => differs(line, outcome));
  const wrong = outcome.state.filter((line) => differs(line, clean));
  const doubled = [...outcome.sent].filter(([, ids]) => ids.size > 1).map(([key]) => key);
  const repeated = outcome.state.filter((line, index) => outcome.state.indexOf(line) !== index);
  const expected = clean.state.filter((line, index) => clean.state.indexOf(line) !== index);
  return { lost, wrong, doubled: [...doubled, ...repeated.filter((line) => !expected.includes(line))] };
}

async function tryAll(row: string, what: string, cases: [name: string, at: number, interrupt: Interrupt][]) {
  // Each case plays a whole life, so on the emulator only two cases are tried.
  const tried = cases.filter((_, index) => index % sizeOnStore(1, Math.ceil(cases.length / 2)) === 0);
  const total = { tried: tried.length, lost: 0, wrong: 0, doubled: 0 };
  const amiss: unknown[] = [];
  for (const [name, at, interrupt] of tried) {
    const { lost, wrong, doubled } = compare(clean, await liveInterrupted(stores.empty(), interrupt));
    total.lost += lost.length;
    total.wrong += wrong.length;
    total.doubled += doubled.length;
    if (lost.length + wrong.length + doubled.length > 0) amiss.push({ name, at, lost, wrong, doubled });
  }
  ledger(row, `${what}${onStore}`, total);
  expect(amiss.slice(0, 3)).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(sizeOnStore(20, 2));
}

const callsOf = ({ calls }: Outcome) =>
  Array.from({ length: Math.ceil(calls / stride) }, (_, index) => 1 + index * stride);
const unhindered: Interrupt = (_call, _name, act) => act();
/** The outcome of the same life without interruptions. */
let clean: Outcome;
beforeAll(async () => {
  clean = await liveInterrupted(stores.empty(), unhindered);
});

test('a store that fails at any call, before or after its effect, does not change the final state', {
  timeout: 600_000,
}, async () => {
  const cases = callsOf(clean).flatMap((at) =>
    Object.entries(storeErrors).flatMap(([error, make]) =>
      (['before', 'after'] as const).map((when): [string, number, Interrupt] => [
        `${error} ${when}`,
        at,
        async (call, name, act) => {
          const isHit = call === at && name !== 'send';
          if (isHit && when === 'before') throw make();
          const answer = await act();
          if (isHit) throw make();
          return answer;
        },
      ]),
    ),
  );
  await tryAll('R4', 'calls of the store × 3 errors × before and after', cases);
});

test('after a process is stopped at any call, before or after its effect, the next one reaches the same state', {
  timeout: 600_000,
}, async () => {
  const cases = callsOf(clean).flatMap((at) =>
    (['before', 'after'] as const).map((when): [string, number, Interrupt] => {
      return [
        `stopped ${when}`,
        at,
        async (call, _name, act, stop) => {
          if (call !== at) return act();
          if (when === 'after') await act();
          return stop();
        },
      ];
    }),
  );
  await tryAll('R10', 'stops before and after every call of every handler', cases);
});
