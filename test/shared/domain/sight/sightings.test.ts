import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
  closeMs,
  isNewsOf,
  periodMs,
  type ReportedLoss,
  type Sightings,
  seenAs,
  seenBefore,
  withReport,
  withSignOfLife,
} from '../../../../shared/domain/sight/sightings.ts';
import type { Report } from '../../../../shared/schema/device/report.ts';
import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
/** Stored sightings, with runs as `[from, to]` in seconds. */
const seen = (runs: [number, number][], given: Partial<Sightings> = {}): Sightings => ({
  since: null,
  runs: runs.map(([from, to]) => ({ from: at(from), to: at(to) })),
  losses: [],
  ...given,
});
const loss = (seconds: number, given: Partial<ReportedLoss> = {}): ReportedLoss => ({
  at: at(seconds),
  epoch: null,
  statedAt: null,
  isSharp: false,
  backAt: null,
  isBackSharp: false,
  ...given,
});
const device = (sightings: Sightings, connects: { epoch: string; at: string }[] = []) => ({
  sightings,
  lastSeenAt: null,
  patience: { periodSeconds: 60 },
  presence: { connects },
});
const sign = (before: Sightings, seconds: number, isWritten = true) =>
  withSignOfLife(device(before), at(seconds), isWritten, waits);
const said = (before: Sightings, given: Report, connects: { epoch: string; at: string }[] = []) =>
  withReport(device(before, connects), given, true, waits);
const online = (seconds: number) => report('connection', { status: 'online' }, seconds);

test('sightings are close within two periods and the two minutes of the coarse writing', () => {
  expect(periodMs({ patience: { periodSeconds: 10 } }, waits)).toBe(10_000);
  expect(periodMs({ patience: { periodSeconds: 0 } }, waits)).toBe(60_000);
  expect(closeMs({ patience: { periodSeconds: 10 } }, waits)).toBe(140_000);
});

describe('a sign of life', () => {
  test.each([
    ['close to the last: the same run', [[0, 60]], 300, [[0, 300]]],
    [
      'further than that: another run',
      [[0, 60]],
      301,
      [
        [0, 60],
        [301, 301],
      ],
    ],
    ['the first', [], 5, [[5, 5]]],
    [
      'late, between two runs',
      [
        [0, 60],
        [550, 660],
      ],
      310,
      [
        [0, 60],
        [310, 660],
      ],
    ],
    [
      'late, close to both',
      [
        [0, 60],
        [540, 660],
      ],
      300,
      [[0, 660]],
    ],
    [
      'late, before all',
      [[900, 960]],
      0,
      [
        [0, 0],
        [900, 960],
      ],
    ],
  ] as [string, [number, number][], number, [number, number][]][])('%s', (_, runs, seconds, expected) => {
    expect(sign(seen(runs), seconds)).toEqual(seen(expected));
  });

  test('that adds nothing leaves the memory as it is', () => {
    const before = seen([[0, 60]]);
    for (const seconds of [0, 30, 60]) expect(sign(before, seconds)).toBe(before);
    // A sighting that only extends the last run is stored if the record is written anyway; a late one always is.
    expect(sign(before, 61, false)).toBe(before);
    expect(sign(before, 61, true)).toEqual(seen([[0, 61]]));
    expect(sign(before, -1, false)).toEqual(seen([[-1, 60]]));
    expect(sign(seen([]), 5, false)).toEqual(seen([]));
  });

  test('of a time that is forgotten changes nothing', () => {
    const before = seen([[0, 60]], { since: at(0) });
    expect(sign(before, -1)).toBe(before);
    expect(sign(seen([], { since: at(0) }), 0)).toEqual(seen([[0, 0]], { since: at(0) }));
  });

  test.each([
    // A report up to five seconds after the loss may have been in transit. A new connection proves the return at once.
    ['a report', 105, null, false],
    ['a report', 106, 106, false],
    ['a connection', 100, null, false],
    ['a connection', 101, 101, true],
  ])('after a loss: %s at %d s', (what, seconds, back, isBackSharp) => {
    const before = seen([[0, 90]], { losses: [loss(100)] });
    const after = what === 'a report' ? sign(before, seconds, false) : said(before, online(seconds));
    const backAt = back === null ? null : at(back);
    expect(after.losses).toEqual([loss(100, { backAt, isBackSharp })]);
    if (back !== null) expect(after.runs).toEqual(seen([[0, seconds]]).runs);
  });

  test('that is earlier than the one that answered a loss answers it, and is not in the order of events', () => {
    const losses = [loss(100, { backAt: at(200) }), loss(150)];
    const after = said(
      seen(
        [
          [0, 90],
          [400, 500],
        ],
        { losses },
      ),
      online(190),
    );
    expect(after.losses).toEqual([loss(100, { backAt: at(190) }), loss(150, { backAt: at(190), isBackSharp: true })]);
    const known = seen([[0, 500]], { losses: [loss(100, { backAt: at(190) })] });
    expect(said(known, online(190))).toBe(known);
    expect(said(known, online(300))).toBe(known);
  });
});

describe('what is no sign of life', () => {
  const before = seen([[0, 60]]);

  test.each([
    ['guardian', report('guardian', {} as never, 70)],
    ['health of a guardian', report('guardian-health', {} as never, 70)],
    ['leftover', report('status', {}, 70, { isLeftover: true })],
  ])('a message of a %s changes nothing', (_, given) => {
    expect(said(before, given)).toBe(before);
  });
});

test.each([
  [-1, null],
  [0, { at: at(0), isLast: false }],
  // Within a run only the distance between sightings is known, so the earliest possible time is returned.
  [50, { at: at(0), isLast: false }],
  [90, { at: at(30), isLast: false }],
  [100, { at: at(100), isLast: true }],
  [500, { at: at(100), isLast: true }],
  [1000, { at: at(1000), isLast: true }],
])('the last sighting at %d s', (seconds, expected) => {
  expect(
    seenBefore(
      seen([
        [0, 100],
        [1000, 1000],
      ]),
      at(seconds),
      60_000,
    ),
  ).toEqual(expected);
});

test('a device changes only where its sightings do', () => {
  const known = device(seen([[0, 60]]));
  const other = seen([[0, 90]]);
  expect(seenAs(known, known.sightings)).toBe(known);
  expect(seenAs(known, other)).toEqual({ ...known, sightings: other });
  expect(isNewsOf(known, known.sightings)).toBe(false);
  expect(isNewsOf(known, other)).toBe(true);
});
