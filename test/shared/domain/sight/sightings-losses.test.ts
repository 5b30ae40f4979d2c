import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
  type ReportedLoss,
  type Sightings,
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
const offline = (seconds: number, body: object = {}) => report('connection', { status: 'offline', ...body }, seconds);

// Losses that a broker or a last will reports, and how many sightings and losses are kept.
describe('a loss', () => {
  test.each<[object, Partial<ReportedLoss>]>([
    [{ reason: 'tcp_closed' }, { isSharp: true }],
    [{}, { isSharp: false }],
    ...['keepalive_timeout', 'Keep Alive', 'keep-alive', 'PING', 'timed out: time'].map(
      (reason): [object, Partial<ReportedLoss>] => [{ reason }, { isSharp: false }],
    ),
    [{ timestamp: at(99) }, { statedAt: at(99) }],
  ])('reported as %j is %j', (body, expected) => {
    expect(said(seen([[0, 60]]), offline(100, body))).toEqual(seen([[0, 60]], { losses: [loss(100, expected)] }));
  });

  test.each(['takenover', 'discarded'])('is none where another session took over: %s', (reason) => {
    const before = seen([[0, 60]]);
    expect(said(before, offline(100, { reason }))).toBe(before);
  });

  test('of a time that is forgotten is none', () => {
    const before = seen([], { since: at(100) });
    expect(said(before, offline(99))).toBe(before);
    expect(said(before, offline(100)).losses).toHaveLength(1);
  });

  test('stands in its order, and was answered by the first sighting after it that is known', () => {
    const before = seen(
      [
        [0, 60],
        [150, 180],
      ],
      { losses: [loss(120)] },
    );
    expect(said(before, offline(100)).losses).toEqual([loss(100, { backAt: at(150) }), loss(120)]);
    expect(said(before, offline(160)).losses).toEqual([loss(120), loss(160, { backAt: at(180) })]);
    expect(said(before, offline(150)).losses[1]).toEqual(loss(150, { backAt: at(180) }));
    expect(said(before, offline(180)).losses[1]).toEqual(loss(180));
  });

  test('reported twice is one: at the same time, or later with the same time in it', () => {
    const before = seen([[0, 60]], { losses: [loss(100, { statedAt: at(99) })] });
    expect(said(before, offline(100))).toBe(before);
    expect(said(before, offline(130, { timestamp: at(99) }))).toBe(before);
    expect(said(before, offline(130, { timestamp: at(98) })).losses).toHaveLength(2);
    expect(said(before, offline(90, { timestamp: at(99) })).losses).toHaveLength(2);
    expect(said(seen([], { losses: [loss(100)] }), offline(130)).losses).toHaveLength(2);
  });

  test.each([
    [60, 90, 100, false],
    [60, 90, 89, true],
    [60, 90, 90, false],
    [90, 90, 100, true],
    [91, 90, 100, true],
  ])(
    'of a connection of %d s, which one of %d s had replaced, is none at %d s: counts %s',
    (epoch, newer, seconds, counts) => {
      const before = seen([]);
      const connects = [{ epoch: at(newer), at: at(90) }];
      const after = said(before, offline(seconds, { connectedAt: at(epoch) }), connects);
      expect(after.losses).toHaveLength(counts ? 1 : 0);
      expect(said(before, offline(seconds), connects).losses).toHaveLength(1);
    },
  );
});

describe('what is remembered is bounded', () => {
  const many = (count: number): [number, number][] => Array.from({ length: count }, (_, n) => [n * 1000, n * 1000]);

  test('48 runs, and what was before the first of them is forgotten', () => {
    const losses = [loss(-5, { backAt: at(0) }), loss(-4, { backAt: at(1000) })];
    expect(sign(seen(many(47)), 47_000)).toEqual(seen(many(48)));
    expect(sign(seen(many(48), { losses }), 48_000)).toEqual(
      seen(many(49).slice(1), { since: at(1000), losses: [loss(-4, { backAt: at(1000) })] }),
    );
  });

  test('48 losses, and the newer beginning counts', () => {
    const losses = Array.from({ length: 48 }, (_, n) => loss(n * 1000, { backAt: at(n * 1000 + 500) }));
    const runs: [number, number][] = [
      [-9, 0],
      [900, 1000],
      [2000, 50_000],
    ];
    const after = said(seen(runs), offline(60_000));
    expect(after.losses).toEqual([loss(60_000)]);
    const bounded = said(seen(runs, { losses }), offline(60_000));
    expect(bounded).toEqual(seen(runs.slice(1), { since: at(1000), losses: [...losses.slice(1), loss(60_000)] }));
    const since = said(seen(runs, { losses, since: at(1500) }), offline(60_000));
    expect(since).toMatchObject({ since: at(1500), runs: seen(runs.slice(2)).runs });
    expect(since.losses[0]).toEqual(losses[1]);
  });
});
