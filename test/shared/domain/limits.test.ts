import { describe, expect, test } from 'vitest';
import {
  budget,
  linkLifeMs,
  measureLimits,
  retention,
  thresholds,
  undoWindowMs,
  type Waits,
  waitsAt,
} from '../../../shared/domain/limits.ts';

const [second, minute, hour, day] = [1, 60, 3600, 86_400];
const waits = waitsAt(1);
const inSeconds = (names: readonly (keyof Waits)[]) => names.map((name) => waits[name] / 1000);

describe('the alert catalogue of the interface', () => {
  test('is held by the thresholds at which conditions begin', () => {
    const { reconnects, certificateExpiringDays } = thresholds;
    const { memory, storage, latency } = measureLimits;
    const begins = [memory.critical.above, memory.high.above, storage.high.under, latency.high.above];
    expect(begins).toEqual([90, 80, 100, 500]);
    expect([reconnects, certificateExpiringDays]).toEqual([3, 7]);
    expect(inSeconds(['connectionLost', 'reconnectWindow'])).toEqual([5 * minute, hour]);
  });

  test('is left by a distance at the end, so that a reading near a threshold does not flap', () => {
    const { memory, storage, latency } = measureLimits;
    const ends = [memory.critical.endsAt, memory.high.endsAt, storage.high.endsAt, latency.high.endsUnder];
    expect(ends).toEqual([85, 75, 120, 400]);
    expect([memory.worse, storage.worse, latency.worse]).toEqual([
      [95, 99],
      [50, 10, 0],
      [1000, 2000],
    ]);
  });
});

describe('the retry schedule of the interface', () => {
  test('is 30 seconds, 2 minutes, 10 minutes and an hour after the attempts before', () => {
    expect(inSeconds(['retry2', 'retry3', 'retry4', 'retry5'])).toEqual([30, 2 * minute, 10 * minute, hour]);
    expect(inSeconds(['retryAfterCap'])).toEqual([hour]);
  });
});

describe('what the design of sight says', () => {
  test('of canaries: sent each minute, lagging after two, blind after three, late after one, back after two in a row', () => {
    expect(inSeconds(['canaryEvery', 'canaryLags', 'canaryBlind', 'canaryLate'])).toEqual([60, 120, 180, 60]);
    expect(inSeconds(['canaryMissing'])).toEqual([55]);
    expect(inSeconds(['ingestIdle', 'headBackoff', 'lossDeclaredWithin'])).toEqual([120, 120, 15 * minute]);
    expect(thresholds.canariesInARow).toBe(2);
  });

  test('of witnesses: two groups, or three devices of one; blind by 30 % of two groups of five, or 90 % of five devices', () => {
    const { witnessGroups, witnessDevices, largeGroup, largeGroups, silentShare, silentShareOfFew } = thresholds;
    expect([witnessGroups, witnessDevices, largeGroup, largeGroups]).toEqual([2, 3, 5, 2]);
    expect([silentShare, silentShareOfFew]).toEqual([0.3, 0.9]);
    expect([thresholds.unreadableDevices, waits.unreadableWindow / 1000]).toEqual([5, hour]);
  });
});

describe('what the design of incidents says', () => {
  test('of places: three devices, half of a site dark, 90 % of what is wider, over under 10 %', () => {
    const { leastOfPlace, darkOfSite, darkOfWide, darkAtEnd } = thresholds;
    expect([leastOfPlace, darkOfSite, darkOfWide, darkAtEnd]).toEqual([3, 0.5, 0.9, 0.1]);
    expect(inSeconds(['placeGrace', 'digestWindow', 'budgetHour', 'reminderLater'])).toEqual([60, 60, hour, 4 * hour]);
  });

  test('of people: an undo within a minute, a link good for a day', () => {
    expect([undoWindowMs, linkLifeMs]).toEqual([minute * 1000, day * 1000]);
  });
});

describe('what the design of trust says', () => {
  test('of guardians: ten minutes for what was on its way, a day for the old key, and a drift announced after a minute', () => {
    expect(inSeconds(['guardianSettle', 'guardianKeyOverlap', 'driftGrace', 'healPatience'])).toEqual([
      10 * minute,
      day,
      60,
      10 * minute,
    ]);
  });

  test('of what is kept: the audit 400 days, upload addresses valid until an erased device is gone', () => {
    expect(retention.audit).toBe(400 * day * 1000);
    expect(waits.erasureDelay / 1000).toBeGreaterThan(15 * minute);
  });
});

describe('what the documentation promises', () => {
  test('of how long records are kept, in days', () => {
    const days = Object.fromEntries(Object.entries(retention).map(([name, ms]) => [name, ms / day / 1000]));
    expect(days).toEqual({
      ...{ audit: 400, resolvedAlert: 400, activity: 400, tombstone: 400, window: 400, ledger: 400 },
      ...{ delivery: 90, detection: 30, feed: 30, quarantine: 30, link: 30 },
    });
  });

  test('of endpoints: a pause of 30 seconds up to 10 minutes, disabled after five days, a checkpoint each hour', () => {
    expect(
      inSeconds(['breakerFirst', 'breakerLongest', 'endpointFailing', 'checkpointEvery', 'secretOverlap']),
    ).toEqual([30, 10 * minute, 5 * day, hour, day]);
    expect(inSeconds(['egressRetry', 'handoffRepeat'])).toEqual([15, 4 * minute]);
  });

  test('of flapping: the third return within an hour, until it has been quiet for ten minutes', () => {
    expect(inSeconds(['reopenWindow', 'flappingWindow', 'flappingQuiet'])).toEqual([10 * minute, hour, 10 * minute]);
    expect(thresholds.flappingReturns).toBe(3);
  });

  test('of cameras: five failed authentications in ten minutes, three failed heals, a clock a minute off', () => {
    expect([thresholds.failedAuthentications, waits.authWindow / 1000, thresholds.authWindowSeconds]).toEqual([
      5,
      10 * minute,
      10 * minute,
    ]);
    expect([thresholds.healFailures, thresholds.clockSkewSeconds]).toEqual([3, 60]);
    expect(inSeconds(['lossSettle', 'burst', 'lastSeenCoarse'])).toEqual([5, 10, 2 * minute]);
  });

  test('of incidents: who is dark within 15 minutes, over after ten quiet minutes, readable again after 75', () => {
    expect(inSeconds(['outageWindow', 'outageSettle', 'unreadableHeld'])).toEqual([
      15 * minute,
      10 * minute,
      75 * minute,
    ]);
    expect([thresholds.unguardedDevices, thresholds.unguardedGroups, thresholds.healthsMissed]).toEqual([3, 5, 3]);
  });

  test('of one phone, mailbox or room: three messages a minute, twenty SMS, eight of them for what is urgent, and six urgent ones an hour', () => {
    expect(budget).toEqual({
      direct: 3,
      smsInHour: 20,
      smsKept: 8,
      urgentInHour: 6,
      securityInHour: 3,
      smsBusy: 9,
      heldGrowth: 5,
    });
  });

  test('of the platform: erased 20 minutes after removal, caught up within 10 minutes, a drill judged after 5', () => {
    expect(inSeconds(['erasureDelay', 'catchUpLongest', 'drillPatience', 'sweepLongest', 'fleetSettles'])).toEqual([
      20 * minute,
      10 * minute,
      5 * minute,
      45,
      5,
    ]);
    expect(thresholds.catchUpSpeed).toBe((2 * hour) / (waits.catchUpLongest / 1000));
  });
});

describe('time that runs faster', () => {
  test('divides every wait, but sweeps up to five seconds apart stay regular', () => {
    const fast = waitsAt(60);
    expect([fast.connectionLost, fast.retry5, fast.settingsSecond]).toEqual([5000, 60_000, second * (1000 / 60)]);
    expect([waits.sweepGap, fast.sweepGap, waitsAt(10).sweepGap]).toEqual([90_000, 5000, 9000]);
  });

  test('keeps what depends on each other in order, at any scale', () => {
    for (const { canaryEvery, canaryLags, canaryBlind, sweepLongest, retry2, retry5, reopenWindow, flappingWindow } of [
      waits,
      waitsAt(7),
      waitsAt(600),
    ]) {
      expect([sweepLongest < canaryEvery, canaryEvery < canaryLags, canaryLags < canaryBlind]).toEqual([
        true,
        true,
        true,
      ]);
      expect([retry2 < retry5, reopenWindow < flappingWindow]).toEqual([true, true]);
    }
  });
});
