import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { derive } from '../../../../shared/domain/sight/intervals.ts';
import type { ReportedLoss, Run } from '../../../../shared/domain/sight/sightings.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);

const run = (from: number, to: number): Run => ({ from: at(from), to: at(to) });
const loss = (seconds: number, backAt: number | null, given: Partial<ReportedLoss> = {}): ReportedLoss => ({
  at: at(seconds),
  epoch: null,
  statedAt: null,
  isSharp: true,
  backAt: backAt === null ? null : at(backAt),
  isBackSharp: true,
  ...given,
});
type Notified = { runs?: Run[]; losses?: ReportedLoss[]; since?: number; registeredAt?: number };
/** The intervals of a camera that reports each minute: state and cause, then the bounds of begin and end in seconds. */
function intervals({ runs = [], losses = [], since, registeredAt = 0 }: Notified, horizon: number, from = 0) {
  const device = {
    patience: { silenceSeconds: 420, lossSeconds: 300, periodSeconds: 60 },
    registeredAt: at(registeredAt),
    sightings: { since: since === undefined ? null : at(since), runs, losses },
  };
  return derive(device, at(from), at(horizon), waits)?.intervals.map(({ state, cause, begin, end, isOpen }) => [
    `${state} ${cause}${isOpen ? ' open' : ''}`,
    ...[...begin, ...end].map((instant) => (Date.parse(instant) - Date.parse(at(0))) / 1000),
  ]);
}

describe('a silence', () => {
  test('begins where sightings are more than two periods and the resolution of sightings apart', () => {
    expect(intervals({ runs: [run(0, 600), run(840, 1000)] }, 1000)).toEqual([]);
    expect(intervals({ runs: [run(0, 600), run(841, 1000)] }, 1000)).toHaveLength(1);
    expect(intervals({ runs: [run(0, 600)] }, 840)).toEqual([]);
    expect(intervals({ runs: [run(0, 600)] }, 841)).toEqual([['uncertain silent open', 600, 810, 751, 841]]);
  });

  test('is certain only where its latest beginning lies before its earliest end', () => {
    expect(intervals({ runs: [run(0, 600), run(900, 1000)] }, 1000)).toEqual([
      ['uncertain silent', 600, 810, 810, 900],
    ]);
    expect(intervals({ runs: [run(0, 600), run(901, 1000)] }, 1000)).toEqual([['blind silent', 600, 810, 811, 901]]);
  });

  test('is left out of a record that begins with its end, and of one that begins later', () => {
    const runs = [run(0, 600), run(3600, 4800)];
    expect(intervals({ runs }, 4800, 3599)).toEqual([['blind silent', 600, 810, 3510, 3600]]);
    expect(intervals({ runs }, 4800, 3600)).toEqual([]);
    expect(intervals({ runs }, 4800, 4000)).toEqual([]);
  });
});

describe('a loss that the broker reported', () => {
  const runs = [run(0, 600), run(720, 2000)];

  test('has bounds of ten seconds where the broker saw both ends', () => {
    expect(intervals({ runs, losses: [loss(605, 700)] }, 2000)).toEqual([['blind lost', 600, 605, 690, 700]]);
    expect(intervals({ runs, losses: [loss(605, 607)] }, 2000)).toEqual([['blind lost', 600, 605, 600, 607]]);
    expect(intervals({ runs, losses: [loss(640, 642)] }, 2000)).toEqual([['blind lost', 630, 640, 632, 642]]);
  });

  test('may have ended up to a report earlier where only a report showed that it was over', () => {
    expect(intervals({ runs, losses: [loss(605, 720, { isBackSharp: false })] }, 2000)).toEqual([
      ['blind lost', 600, 605, 630, 720],
    ]);
  });

  test('begins after the last sighting where the broker waited in vain, or anywhere since a sighting within a run', () => {
    const vain = { isSharp: false };
    expect(intervals({ runs: [run(0, 600), run(1600, 2000)], losses: [loss(1500, 1600, vain)] }, 2000)).toEqual([
      ['blind lost', 600, 810, 1590, 1600],
    ]);
    expect(intervals({ runs: [run(0, 2000)], losses: [loss(1000, 1100, vain)] }, 2000)).toEqual([
      ['blind lost', 760, 1000, 1090, 1100],
    ]);
  });

  test('begins after the return from the loss before it', () => {
    const vain = { isSharp: false };
    const two = (second: ReportedLoss) =>
      intervals({ runs: [run(0, 600), run(760, 2000)], losses: [loss(605, 700), second] }, 2000)?.[1];
    expect(two(loss(705, 760, vain))).toEqual(['blind lost', 700, 705, 750, 760]);
    expect(two(loss(700, 760, vain))).toEqual(['blind lost', 700, 700, 750, 760]);
    expect(two(loss(705, 760))).toEqual(['blind lost', 700, 705, 750, 760]);
  });

  test('is open while nobody has seen the camera since, and unknown before the horizon has passed it', () => {
    const lost = { runs: [run(0, 600)], losses: [loss(700, null, { isBackSharp: false })] };
    expect(intervals(lost, 699)).toEqual([]);
    expect(intervals(lost, 700)).toEqual([['blind lost open', 690, 700, 690, 700]]);
    expect(intervals(lost, 800)).toEqual([['blind lost open', 690, 700, 710, 800]]);
  });

  test('is in a record that reaches into its bounds, not in one that ends where they begin', () => {
    const notified = {
      runs: [run(0, 700), run(900, 1000)],
      losses: [loss(800, 900, { isSharp: false, isBackSharp: false })],
    };
    expect(intervals(notified, 700)).toEqual([]);
    expect(intervals(notified, 750)).toEqual([['blind lost', 700, 800, 810, 900]]);
  });
});

describe('a silence and a loss of one period', () => {
  const runs = [run(0, 600), run(3600, 4800)];

  test('are one, with the bounds that satisfy both', () => {
    const one = (notified: ReportedLoss) => intervals({ runs, losses: [notified] }, 4800);
    expect(one(loss(700, 3600))).toEqual([['blind lost', 690, 700, 3590, 3600]]);
    expect(one(loss(820, 3600))).toEqual([['blind lost', 810, 810, 3590, 3600]]);
    expect(one(loss(700, 3605, { isBackSharp: false }))).toEqual([['blind lost', 690, 700, 3515, 3600]]);
  });

  test('where no bounds satisfy both, begin with the first and end with the last', () => {
    expect(intervals({ runs, losses: [loss(1500, 3600)] }, 4800)).toEqual([['blind lost', 600, 810, 3590, 3600]]);
    expect(intervals({ runs, losses: [loss(700, 1000)] }, 4800)).toEqual([['blind lost', 690, 700, 3510, 3600]]);
    const short = [run(0, 600), run(1000, 2000)];
    expect(intervals({ runs: short, losses: [loss(700, 1500)] }, 2000)).toEqual([['blind lost', 690, 700, 1490, 1500]]);
  });

  test('are open while one of them is', () => {
    expect(intervals({ runs: [run(0, 600)], losses: [loss(700, 1000)] }, 5000)).toEqual([
      ['blind lost open', 690, 700, 4910, 5000],
    ]);
  });

  test('of different periods are two, in the order of time', () => {
    const apart = { runs: [run(0, 600), run(700, 1000), run(3600, 4000)], losses: [loss(605, 700)] };
    expect(intervals(apart, 4000)).toEqual([
      ['blind lost', 600, 605, 690, 700],
      ['blind silent', 1000, 1210, 3510, 3600],
    ]);
    const touching = { runs: [run(0, 600), run(760, 2000)], losses: [loss(605, 700), loss(706, 760)] };
    expect(intervals(touching, 2000)).toEqual([
      ['blind lost', 600, 605, 690, 700],
      ['blind lost', 700, 706, 750, 760],
    ]);
  });
});

describe('the time before the first sighting', () => {
  test('is not registered up to the registration, or to the sighting that came before it was handled', () => {
    const first = ['blind not-registered', 0, 0, 500, 500];
    expect(intervals({ runs: [run(500, 900)], registeredAt: 500 }, 900)).toEqual([first]);
    expect(intervals({ runs: [run(500, 900), run(1000, 1100)], registeredAt: 1050 }, 1100)).toEqual([first]);
    expect(intervals({ runs: [run(500, 900)], registeredAt: 500 }, 900, 500)).toEqual([]);
    expect(intervals({ runs: [run(500, 900)], registeredAt: 500 }, 900, 600)).toEqual([]);
  });

  test('is unknown where it is no longer remembered', () => {
    const notified = { runs: [run(900, 1500)], registeredAt: 300, since: 900 };
    expect(intervals(notified, 1500)).toEqual([
      ['blind not-registered', 0, 0, 300, 300],
      ['uncertain unknown', 300, 300, 900, 900],
    ]);
    expect(intervals(notified, 1500, 600)).toEqual([['uncertain unknown', 600, 600, 900, 900]]);
    expect(intervals(notified, 1500, 900)).toEqual([]);
  });
});
