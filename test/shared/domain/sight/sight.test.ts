import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
  isMissing,
  judgeSight,
  newSight,
  type SightRecord,
  type WayEvidence,
  type WaySight,
} from '../../../../shared/domain/sight/sight.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const now = at(0);
const began = at(-3600);
const fresh = { newestAt: at(-1), knownAt: at(-1), heldFrom: null, handledAt: at(-1), isSent: true };
const good: WayEvidence = { canaries: fresh, reportsShow: null, massSilentAt: null };
type Canaries = NonNullable<WayEvidence['canaries']>;

const sightBefore = (broker: Partial<WaySight> = {}, given: Partial<SightRecord> = {}): SightRecord => {
  const sight = newSight(began);
  const known = { ...sight.ways.broker, horizonAt: at(-60), apparentAt: at(-60), newestAt: at(-60), inARow: 2 };
  return { ...sight, sweptAt: at(-60), ways: { broker: { ...known, ...broker }, ingest: known }, ...given };
};
/** The state of the broker path after a sweep. */
const judged = (given: Partial<WaySight>, looked: Partial<WayEvidence>, lastReportAt: string | null = null): WaySight =>
  judgeSight(sightBefore(given), { broker: { ...good, ...looked }, ingest: good }, lastReportAt, now, waits).ways
    .broker;
const byCanaries = (given: Partial<WaySight>, canaries: Partial<Canaries>, reportsShow: string | null = null) =>
  judged(given, { canaries: { ...fresh, ...knownTo(canaries), ...canaries }, reportsShow });
/** By default, everything published before the newest canary has arrived. */
const knownTo = ({ newestAt }: Partial<Canaries>) => (newestAt === undefined ? {} : { knownAt: newestAt });
const sees: WaySight = {
  ...{ state: 'sees', since: began, horizonAt: at(-1), lastHandledAt: at(-1), waiting: [now], newestAt: at(-1) },
  ...{ inARow: 2, openSince: null, brokenSince: null, gaps: [], apparentAt: at(-1), believedAt: null },
};

test('before the first sweep the platform sees, and canaries count as missing from then on', () => {
  const never = { lastHandledAt: null, waiting: [], newestAt: null, inARow: 0 };
  const way = { ...sees, ...never, since: now, horizonAt: now, apparentAt: now };
  expect(newSight(now)).toEqual({
    ...{ platformId: 'sight', kind: 'sight', sweptAt: now, state: 'sees', since: now, horizonAt: now },
    ...{ lastReportAt: null, ways: { broker: way, ingest: way }, incidentId: null, drill: null },
  });
});

describe('a way with canaries', () => {
  test.each([
    [-1, 'sees'],
    [-120, 'sees'],
    [-121, 'lags'],
    // The newest is older than three minutes, but no other was missing for as long.
    [-1000, 'lags'],
  ] as const)('whose newest was sent at %d s: %s', (seconds, state) => {
    const after = byCanaries({ newestAt: at(-2000) }, { newestAt: at(seconds) });
    const inARow = seconds >= -120 ? 2 : 0;
    const since = state === 'sees' ? began : now;
    const horizonAt = at(seconds);
    expect(after).toEqual({ ...sees, state, since, inARow, newestAt: at(seconds), horizonAt, apparentAt: horizonAt });
  });

  test.each([
    [-181, -180, 'blind'],
    [-181, -179, 'lags'],
  ] as const)(
    'is blind when the newest is older than 180 s and another was not handled for as long: %d, %d',
    (newest, waiting, state) => {
      const after = byCanaries({ waiting: [at(waiting)] }, { newestAt: at(newest) });
      expect(after).toEqual({
        ...sees,
        ...{ state, since: now, inARow: 0, newestAt: at(newest), horizonAt: at(newest), apparentAt: at(newest) },
        gaps: [{ from: at(newest), until: null }],
        waiting: [at(waiting), now],
      });
    },
  );

  test('knows of no more than has certainly arrived, and is no worse for that', () => {
    const known = { newestAt: at(-120), knownAt: at(-179) };
    expect(byCanaries({}, known)).toMatchObject({ state: 'sees', horizonAt: at(-179), gaps: [] });
    expect(byCanaries({ waiting: [at(-54)] }, known)).toMatchObject({ state: 'sees', horizonAt: at(-179) });
    const missing = { newestAt: at(-180), knownAt: at(-239) };
    expect(byCanaries({ waiting: [at(-55)] }, missing)).toMatchObject({
      ...{ state: 'lags', gaps: [{ from: at(-239), until: null }] },
    });
    expect(byCanaries({ gaps: [{ from: at(-300), until: at(1) }] }, known)).toMatchObject({
      ...{ horizonAt: at(-300), apparentAt: at(-179) },
    });
  });

  test('knows nothing newer than before while not all of its canaries have arrived', () => {
    const after = byCanaries({ lastHandledAt: at(-30), inARow: 1 }, { newestAt: null, handledAt: at(-40) });
    const known = { horizonAt: at(-60), apparentAt: at(-60) };
    expect(after).toEqual({ ...sees, ...known, newestAt: null, inARow: 1, lastHandledAt: at(-30) });
    expect(byCanaries({ waiting: [at(-200)], horizonAt: at(-300) }, { newestAt: null })).toMatchObject({
      state: 'blind',
      horizonAt: at(-300),
    });
    expect(byCanaries({ waiting: [at(-200)], horizonAt: at(-180) }, { newestAt: null })).toMatchObject({
      state: 'lags',
      horizonAt: at(-180),
    });
  });

  test('sees again after two handled in a row, and its horizon stays while what waited arrives', () => {
    const gaps = [{ from: at(-700), until: null }];
    const blind = { state: 'blind', since: at(-600), gaps, inARow: 0, newestAt: at(-60) } as const;
    expect(byCanaries(blind, {})).toMatchObject({ state: 'blind', since: at(-600), inARow: 1 });
    // A sweep that finds no newer canary does not add to `inARow`.
    expect(byCanaries({ ...blind, inARow: 1 }, { newestAt: at(-60) })).toMatchObject({ state: 'blind', inARow: 1 });
    expect(byCanaries({ ...blind, inARow: 1 }, { newestAt: at(-121) })).toMatchObject({ state: 'blind', inARow: 0 });
    expect(byCanaries({ ...blind, inARow: 1, newestAt: null }, {})).toMatchObject({ state: 'lags', inARow: 2 });
    expect(byCanaries({ ...blind, inARow: 1 }, {})).toEqual({
      ...sees,
      ...{ state: 'lags', since: now, horizonAt: at(-700), gaps: [{ from: at(-700), until: at(180) }] },
    });
  });

  test('holds its horizon at the beginning of a gap until the retries of each camera have come', () => {
    const gaps = [{ from: at(-300), until: at(1) }];
    expect(byCanaries({ gaps }, {})).toEqual({ ...sees, state: 'lags', since: now, horizonAt: at(-300), gaps });
    expect(byCanaries({ gaps: [{ from: at(-300), until: now }] }, {})).toEqual(sees);
    // A missing canary of the previous sweep keeps the gap open, one that was sent just now does not.
    expect(byCanaries({ gaps, waiting: [at(-55)] }, { newestAt: at(-121) })).toMatchObject({
      gaps: [{ from: at(-300), until: null }],
    });
    expect(byCanaries({ waiting: [at(-54)] }, { newestAt: at(-121) })).toMatchObject({ gaps: [] });
    expect(byCanaries({}, { heldFrom: at(-110) })).toEqual({ ...sees, horizonAt: at(-110), apparentAt: at(-110) });
    expect(byCanaries({}, { heldFrom: at(-130) })).toEqual({
      ...sees,
      ...{ state: 'lags', since: now, horizonAt: at(-130), apparentAt: at(-130) },
    });
  });

  test('a standstill of three minutes, after which the newest canary overtakes those before it, holds the horizon', () => {
    const look = (before: SightRecord, seconds: number, newest: number, handled: number) => {
      const [newestAt, handledAt, time] = [at(newest), at(handled), at(seconds)];
      const knownAt = at(Math.min(newest, handled - 60));
      const canaries = { newestAt, knownAt, heldFrom: null, handledAt, isSent: true };
      const both = { canaries, reportsShow: null, massSilentAt: null };
      return judgeSight(before, { broker: both, ingest: both }, null, time, waits);
    };
    // Canaries go at each full minute, a moment early each time. Nothing is handled from 1 s to 162 s.
    const started = look({ ...newSight(at(-60)), horizonAt: at(-60) }, 0, -60, -59);
    const standing = [60, 119.98].reduce((before, time) => look(before, time, 0, 1), look(started, 59.98, 0, 1));
    // The canary of 120 s came 50 s late, those of 60 s were overtaken. A message of 27 s still waits for its next try.
    const after = look(standing, 180, 119.98, 170);
    expect(after.horizonAt <= at(0)).toBe(true);
    expect(look(after, 240, 239, 239.5).horizonAt <= at(0)).toBe(true);
    expect(look(look(look(after, 240, 240, 240), 300, 300, 300), 360, 360, 360).horizonAt).toBe(at(300));
  });

  test('remembers what it sent: the first that is missing and the last seven', () => {
    const many = Array.from({ length: 8 }, (_, index) => at(-50 + index));
    const after = byCanaries({ waiting: many }, { newestAt: at(-51) });
    expect(after.waiting).toEqual([at(-50), ...many.slice(2), now]);
    expect(byCanaries({ waiting: many.slice(1) }, { newestAt: at(-51) }).waiting).toEqual([...many.slice(1), now]);
    expect(byCanaries({ waiting: many }, { newestAt: at(-44) }).waiting).toEqual([at(-43), now]);
    expect(byCanaries({ waiting: many.slice(0, 1) }, { newestAt: null, isSent: false }).waiting).toEqual([at(-50)]);
  });
});

describe('a canary is one witness, reports are others', () => {
  const newestAt = at(-200);

  test('reports that came after a missing canary show first that the way may be open', () => {
    const waiting = [at(-100)];
    expect(byCanaries({ waiting }, { newestAt }, at(-99))).toMatchObject({
      openSince: now,
      brokenSince: null,
      state: 'lags',
    });
    expect(byCanaries({ waiting, openSince: at(-20) }, { newestAt }, at(-99))).toMatchObject({ openSince: at(-20) });
    for (const reportsShow of [at(-100), null]) {
      expect(byCanaries({ waiting, openSince: at(-100) }, { newestAt }, reportsShow)).toMatchObject({
        openSince: null,
      });
    }
    expect(byCanaries({ openSince: at(-100) }, {}, at(-5))).toMatchObject({ openSince: null });
  });

  test.each([
    [-150, -60, true],
    // Sent before the path opened again, so it proves nothing.
    [-150, -151, false],
    [-60, -60, true],
    [-150, -59, false],
  ])(
    'one sent after the way opened at %d s, at %d s, and missing for a minute: the canary is broken, %s',
    (opened, sent, isBroken) => {
      const waiting = [at(-300), at(sent)];
      const after = byCanaries({ waiting, openSince: at(opened), state: 'lags' }, { newestAt: at(-400) }, at(-30));
      expect(after).toMatchObject(
        isBroken
          ? { state: 'sees', since: now, brokenSince: now, openSince: at(opened), horizonAt: at(-60), gaps: [] }
          : { state: 'blind', brokenSince: null, horizonAt: at(-400), gaps: [{ from: at(-400), until: null }] },
      );
    },
  );

  test('a canary stays broken since it was found so, and the horizon is the newest that either shows', () => {
    const broken = { waiting: [at(-100)], openSince: at(-200), brokenSince: at(-500) };
    expect(byCanaries(broken, { newestAt: null }, at(-70))).toMatchObject({
      brokenSince: at(-500),
      horizonAt: at(-60),
    });
    expect(byCanaries({ ...broken, waiting: [at(-100)] }, { newestAt }, at(-70))).toMatchObject({ horizonAt: at(-70) });
  });

  test.each([
    [[], null, false],
    [[at(-60)], null, true],
    [[at(-59)], null, false],
    [[at(-60)], at(-60), false],
    [[at(-90), at(-60)], at(-90), true],
    [[at(-60)], at(-61), true],
  ])('other witnesses are asked when of %j, after %s, one is missing for a minute: %s', (waiting, newest, expected) => {
    const way = { ...sees, waiting };
    expect(isMissing(way, { newestAt: newest, knownAt: newest, heldFrom: null, handledAt: null }, now, waits)).toBe(
      expected,
    );
  });
});
