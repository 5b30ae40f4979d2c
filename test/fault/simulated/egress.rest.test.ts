import { describe, expect, test } from 'vitest';
import { msBetween } from '../../../shared/domain/time.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { type Blackout, type EgressRun, type EgressStory, minute, runEgress } from '../../support/simulation/egress.ts';
import { startOfTests } from '../../support/world/world.ts';

const seeds = Array.from({ length: sizeOf(3, 20) }, (_, index) => index + 1);
const atStart: EgressStory['blackouts'] = (process) => [{ from: 0, until: 20_000 + process * 15_000 }];
const inTheMiddle: EgressStory['blackouts'] = () => [{ from: 4 * minute, until: 5 * minute }];
const twice: EgressStory['blackouts'] = (process) => [...atStart(process), ...inTheMiddle(process)];
const traffic: [name: string, story: Pick<EgressStory, 'everyMs' | 'healthy' | 'dead'>][] = [
  ['much traffic', { everyMs: 200, healthy: 12, dead: 2 }],
  ['little traffic', { everyMs: 8000, healthy: 4, dead: 1 }],
  ['one endpoint', { everyMs: 3000, healthy: 1, dead: 0 }],
];

/** Failed attempts that counted against healthy endpoints, although our own egress was cut. */
function charged({ healthy }: EgressRun): number {
  return healthy.flatMap(({ attempts }) => attempts).filter(({ errorClass }) => errorClass !== null).length;
}

const patienceMs = 900_000;

describe.each([
  ['at the start', atStart],
  ['for a minute in the middle', inTheMiddle],
  ['at the start and in the middle', twice],
])('with the way out cut %s', (_cut, blackouts) => {
  test.each(
    traffic.flatMap(([name, story]) =>
      (['checked', 'unchecked'] as const).map((witness) => [name, witness, story] as const),
    ),
  )(
    'and %s, %s: no attempt is counted, no circuit opens, and all is delivered',
    { timeout: patienceMs },
    async (_name, witness, story) => {
      const total = { tried: 0, lost: 0, wrong: 0, doubled: 0 };
      for (const seed of seeds) {
        const run = await runEgress({ seed, processes: 3, blackouts, witness, ...story });
        const { healthy, circuits, mostInTheDark } = run;
        total.tried += healthy.length;
        total.lost += healthy.filter(({ status }) => status !== 'delivered').length;
        total.wrong += charged(run) + circuits.length;
        expect(mostInTheDark).toBeLessThanOrEqual(4);
      }
      ledger('R17', `deliveries with the way out cut, ${witness}`, total);
      expect(total.tried).toBeGreaterThan(100);
      expect(total).toMatchObject({ lost: 0, wrong: 0 });
    },
  );
});

test('without an egress check, attempts during the same cut are counted and circuits open', async () => {
  const story = { seed: 1, processes: 3, blackouts: inTheMiddle, witness: 'none', everyMs: 200, healthy: 12, dead: 0 };
  const run = await runEgress(story as EgressStory);
  expect(charged(run)).toBeGreaterThan(100);
  expect(run.circuits.length).toBeGreaterThan(5);
});

describe.each(['checked', 'unchecked'] as const)('a dead endpoint, %s,', (witness) => {
  test.each([
    ['alone', { everyMs: 30_000, healthy: 0, dead: 1 }],
    ['beside another dead one', { everyMs: 30_000, healthy: 0, dead: 2 }],
    ['beside healthy ones', { everyMs: 2000, healthy: 6, dead: 1 }],
    ['beside one that is seldom heard', { everyMs: 40_000, healthy: 1, dead: 1 }],
  ])('%s gets nearly as many attempts as without an egress check', { timeout: patienceMs }, async (_name, story) => {
    const attempts = async (judged: EgressStory['witness'], seed: number) => {
      const { dead } = await runEgress({ seed, processes: 2, blackouts: () => [], witness: judged, ...story });
      return dead.flatMap((each) => each.attempts).length;
    };
    let [judged, unjudged] = [0, 0];
    for (const seed of seeds) {
      judged += await attempts(witness, seed);
      unjudged += await attempts('none', seed);
    }
    expect(unjudged).toBeGreaterThan(20);
    expect(judged).toBeGreaterThanOrEqual(0.8 * unjudged);
  });

  test('has no counted attempt during a blackout', async () => {
    const { dead } = await runEgress({
      ...{ seed: 7, processes: 2, blackouts: inTheMiddle, witness, everyMs: 2000, healthy: 6, dead: 2 },
    });
    const [dark] = inTheMiddle(0) as [Blackout];
    const inside = dead
      .flatMap(({ attempts }) => attempts)
      .map(({ at, durationMs }) => {
        const from = msBetween(startOfTests, at);
        return { from, until: from + durationMs };
      })
      .filter(({ from, until }) => from >= dark.from && until <= dark.until);
    expect(witness === 'checked' ? inside : []).toEqual([]);
  });
});
