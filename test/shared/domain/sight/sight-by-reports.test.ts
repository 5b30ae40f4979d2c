import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
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
const noCanaries = { waiting: [], newestAt: null, inARow: 0, openSince: null, brokenSince: null };

const sightBefore = (broker: Partial<WaySight> = {}, given: Partial<SightRecord> = {}): SightRecord => {
  const { ways, ...sight } = newSight(began);
  const known = { ...ways.broker, horizonAt: at(-60), apparentAt: at(-60) };
  return { ...sight, sweptAt: at(-60), ways: { broker: { ...known, ...broker }, ingest: known }, ...given };
};

describe('a way without canaries is judged by the reports of the fleet', () => {
  const byReports = (given: Partial<WaySight>, massSilentAt: string | null, lastReportAt: string | null = at(-5)) => {
    // State from earlier canaries is dropped.
    const had = {
      waiting: [at(-9)],
      newestAt: at(-9),
      inARow: 2,
      openSince: at(-9),
      brokenSince: at(-9),
    };
    const broker = { canaries: null, reportsShow: null, massSilentAt };
    return judgeSight(sightBefore({ ...had, ...given }), { broker, ingest: good }, lastReportAt, now, waits).ways
      .broker;
  };
  const way: WaySight = {
    ...{ state: 'sees', since: began, horizonAt: now, lastHandledAt: at(-5), ...noCanaries },
    ...{ gaps: [], apparentAt: now, believedAt: null },
  };

  test('it sees up to now where nobody fell silent', () => {
    expect(byReports({}, null)).toEqual(way);
  });

  test('it is blind where many fell silent together, from before the first of them was due', () => {
    const blindFrom = (from: string) => ({ ...way, state: 'blind', since: now, horizonAt: from, apparentAt: from });
    const gaps = [{ from: at(-90), until: at(9) }];
    expect(byReports({ gaps }, at(-300))).toEqual(blindFrom(at(-300)));
    expect(byReports({ horizonAt: at(-400) }, at(-300))).toEqual(blindFrom(at(-400)));
    // It is blind however long it was not blind before.
    expect(byReports({ since: began }, at(-300))).toMatchObject({ state: 'blind' });
  });

  test.each([
    [-480, -180, -5, true],
    [-479, -180, -5, false],
    [-480, -179, -5, false],
    [-480, null, -5, false],
    [-480, -180, -240, true],
    [-480, -180, -241, false],
    [-480, -180, null, false],
  ])(
    'silence that lasts since %d s while others reported since %s s and at %s s was real: %s',
    (since, open, reported, isBelieved) => {
      const lastReportAt = reported === null ? null : at(reported);
      const openSince = open === null ? null : at(open);
      const gaps = [{ from: at(-700), until: at(9) }];
      const blind = { state: 'blind', since: at(since), openSince, horizonAt: at(-700), gaps } as const;
      const isHeard = reported !== null && reported >= -240;
      const seen = { ...way, lastHandledAt: lastReportAt, openSince: isHeard ? (openSince ?? now) : null };
      expect(byReports(blind, at(-600), lastReportAt)).toEqual(
        isBelieved
          ? { ...seen, since: now, believedAt: now }
          : { ...seen, state: 'blind', since: at(since), horizonAt: at(-700), apparentAt: at(-700) },
      );
    },
  );

  test('after blindness the horizon stays until what waited has arrived', () => {
    const horizonAt = at(-700);
    const gapUntil = (until: string) => [{ from: horizonAt, until }];
    expect(byReports({ state: 'blind', since: at(-400), horizonAt }, null)).toEqual({
      ...way,
      ...{ state: 'lags', since: now, horizonAt, gaps: gapUntil(at(180)) },
    });
    const lags = { state: 'lags', since: at(-90), horizonAt, gaps: gapUntil(at(1)) } as const;
    expect(byReports(lags, null)).toEqual({ ...way, ...lags });
    expect(byReports({ ...lags, gaps: gapUntil(now) }, null)).toEqual({ ...way, since: now });
  });
});

describe('the platform', () => {
  const judge = (
    given: Partial<SightRecord>,
    lags: { broker?: number; ingest?: number },
    lastReportAt: string | null = null,
  ) => {
    const looked = (seconds = -1) => ({ ...good, canaries: { ...fresh, newestAt: at(seconds), knownAt: at(seconds) } });
    const ways = { broker: looked(lags.broker), ingest: looked(lags.ingest) };
    return judgeSight(sightBefore({}, given), ways, lastReportAt, now, waits);
  };

  test('is as its worse way is, since that changed', () => {
    expect(judge({}, {})).toMatchObject({ state: 'sees', since: began, sweptAt: now, horizonAt: at(-1) });
    expect(judge({}, { broker: -130 })).toMatchObject({ state: 'lags', since: now, horizonAt: at(-130) });
    expect(judge({ state: 'lags', since: at(-90) }, { ingest: -130 })).toMatchObject({ state: 'lags', since: at(-90) });
    const blind = sightBefore({ waiting: [at(-200)] });
    const missing = { ...good, canaries: { ...fresh, newestAt: at(-300), knownAt: at(-300) } };
    const lagging = { ...good, canaries: { ...fresh, newestAt: at(-130), knownAt: at(-130) } };
    expect(judgeSight(blind, { broker: missing, ingest: lagging }, null, now, waits)).toMatchObject({
      state: 'blind',
      since: now,
      horizonAt: at(-300),
    });
  });

  test('remembers the newest report, and leaves its incident as it is', () => {
    expect(judge({ lastReportAt: at(-9), incidentId: 'i-1' }, {}, at(-20))).toMatchObject({
      lastReportAt: at(-9),
      incidentId: 'i-1',
    });
    expect(judge({ lastReportAt: at(-9) }, {}, at(-8)).lastReportAt).toBe(at(-8));
  });

  test.each([
    ['a minute and a half', 90, null],
    // The retries of each camera take up to three minutes, and the backlog takes a twelfth of the time that it waited, at most 600 s.
    ['more than a minute and a half', 96, 180 + 8],
    ['two minutes', 120, 180 + 10],
    ['two hours', 7200, 180 + 600],
    ['a day', 86_400, 180 + 600],
  ])('after %s without a sweep: what waits in the queue comes first', (_, seconds, held) => {
    const { ways } = judge({ sweptAt: at(-seconds) }, {});
    const expected =
      held === null
        ? { gaps: [], horizonAt: at(-1) }
        : { gaps: [{ from: at(-60), until: at(held) }], horizonAt: at(-60) };
    expect([ways.broker, ways.ingest]).toMatchObject([expected, expected]);
  });

  test('a gap that was open before a sweep was missed keeps its beginning', () => {
    const sight = sightBefore({ gaps: [{ from: at(-500), until: null }] }, { sweptAt: at(-132) });
    expect(judgeSight(sight, { broker: good, ingest: good }, null, now, waits).ways.broker).toMatchObject({
      gaps: [{ from: at(-500), until: at(191) }],
      state: 'lags',
    });
  });
});
