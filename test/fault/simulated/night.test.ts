import { expect, test } from 'vitest';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { checkNight } from '../../support/simulation/check-night.ts';
import { fixedNight, liveThroughNight, type Notified } from '../../support/simulation/night.ts';

const seeds = Array.from({ length: sizeOf(1, 10) }, (_, index) => index + 1);
/** Seconds until a person who is woken by the phone answers. */
const answersAfter = 180;

const smsOf = (notified: readonly Notified[]) => notified.filter(({ channel }) => channel === 'sms').length;

test('a night of 8 outages, 20 broken cameras and 100 interruptions causes few messages, each true when it is sent', {
  timeout: 600_000,
}, async () => {
  for (const seed of seeds) {
    const night = fixedNight(seed);
    const { startsAt, notified } = await liveThroughNight(night, answersAfter);
    const { untrue, unended, unnotified } = checkNight(night, startsAt, notified);
    const what = `seed ${seed}: ${smsOf(notified)} SMS and ${notified.length} messages of a night that somebody answers`;
    ledger('R14', what, {
      tried: notified.length,
      lost: unended.length + unnotified.length,
      wrong: untrue.length,
      doubled: 0,
    });
    expect({ untrue, unended, unnotified }).toEqual({ untrue: [], unended: [], unnotified: [] });
    expect(smsOf(notified)).toBeLessThanOrEqual(40);
  }
});

test('in a night without any answer, messages go on and stay true', {
  timeout: 600_000,
}, async () => {
  for (const seed of seeds) {
    const night = fixedNight(seed);
    const { startsAt, notified } = await liveThroughNight(night, null);
    const { untrue, unended, unnotified } = checkNight(night, startsAt, notified);
    const what = `seed ${seed}: ${smsOf(notified)} SMS and ${notified.length} messages of a night that nobody answers`;
    ledger('R14', what, {
      tried: notified.length,
      lost: unended.length + unnotified.length,
      wrong: untrue.length,
      doubled: 0,
    });
    expect({ untrue, unended, unnotified }).toEqual({ untrue: [], unended: [], unnotified: [] });
    // Openings, escalations and ends of 28 failures, and a common reminder each half hour.
    expect(smsOf(notified)).toBeLessThanOrEqual(110);
  }
});
