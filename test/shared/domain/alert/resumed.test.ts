import { describe, expect, test } from 'vitest';
import { type Life, newLife, type PausedAlert } from '../../../../shared/domain/alert/alert.ts';
import {
  activeAgain,
  clockFrom,
  goneOn,
  left,
  memberActor,
  noClock,
  pausedAt,
  seen,
  takenAt,
} from '../../../../shared/domain/alert/resumed.ts';
import { at } from '../../../support/world/timeline.ts';

const minutes = 60_000;
const life = (given: Partial<Life> = {}): Life => ({ ...newLife('ERROR', at(0)), responseMs: 30 * minutes, ...given });
const paused = (given: Partial<PausedAlert> = {}): PausedAlert => ({
  ...{ status: 'active', acknowledgedAt: null, acknowledgedBy: null, escalatedAt: null, team: null, reminders: 0 },
  ...{ step: null, snoozedUntil: null, respondInMs: 10 * minutes, remindInMs: null },
  ...given,
});
const now = at(600);

test('a clock runs from an instant, where there is a response time', () => {
  expect([clockFrom(now, 30 * minutes), clockFrom(now, 0), clockFrom(now, null)]).toEqual([at(2400), now, null]);
});

test('what was seen once more is counted', () => {
  expect(seen(life({ occurrences: 4 }), now)).toEqual({ occurrences: 5, lastSeenAt: now });
});

describe('when a condition ends', () => {
  test('the alert is kept with the time left on its clocks', () => {
    expect(pausedAt(life({ respondBy: at(1200) }), now)).toEqual(paused({ respondInMs: 10 * minutes }));
    const escalated = {
      status: 'escalated',
      escalatedAt: at(60),
      team: 'night',
      reminders: 2,
      remindAt: at(601),
    } as const;
    const { remindAt: _, ...kept } = escalated;
    expect(pausedAt(life(escalated), now)).toEqual(paused({ ...kept, respondInMs: null, remindInMs: 1000 }));
    const acknowledged = { status: 'acknowledged', acknowledgedAt: at(5), acknowledgedBy: 'user:ana' } as const;
    expect(pausedAt(life(acknowledged), now)).toEqual(paused({ ...acknowledged, respondInMs: null }));
  });

  test('no time is left on a clock that has run out, and nothing is kept of what was over', () => {
    expect(pausedAt(life({ respondBy: at(599) }), now)?.respondInMs).toBe(0);
    expect(pausedAt(life({ status: 'resolved' }), now)).toBeNull();
  });
});

describe('when it is back', () => {
  const gone = (from: PausedAlert | null, given: Partial<Life> = {}, notifyAfter: string | null = null) =>
    goneOn(life({ paused: from, ...given }), notifyAfter, now);

  test('and nothing was kept, it begins anew', () => {
    const anew = { ...activeAgain, isMember: false };
    expect(gone(null)).toEqual({ ...anew, respondBy: at(2400) });
    expect(gone(null, {}, at(660))).toEqual({ ...anew, respondBy: at(2460) });
    expect(gone(null, { isMember: true, responseMs: null })).toEqual({ ...anew, isMember: true, respondBy: null });
  });

  test('its response time goes on with what was left, but not with more than there is now', () => {
    expect(gone(paused()).respondBy).toBe(at(1200));
    expect(gone(paused(), {}, at(660)).respondBy).toBe(at(1260));
    expect(gone(paused(), { responseMs: 5 * minutes }).respondBy).toBe(at(900));
    expect(gone(paused({ respondInMs: 0 })).respondBy).toBe(now);
    expect(gone(paused({ respondInMs: null })).respondBy).toBe(at(2400));
    expect(gone(paused(), { responseMs: null }).respondBy).toBeNull();
    expect(gone(paused({ respondInMs: null }), { responseMs: null }).respondBy).toBeNull();
  });

  test('it keeps who has it, and its reminders go on', () => {
    const {
      respondInMs: _,
      remindInMs: __,
      ...stood
    } = paused({ status: 'acknowledged', acknowledgedBy: 'user:ana', acknowledgedAt: at(5) });
    const given = { ...stood, respondInMs: 5, remindInMs: 7000 };
    expect(gone(given)).toEqual({
      ...{ ...activeAgain, ...stood, isMember: false, paused: null, respondBy: null, remindAt: at(607) },
      snoozedUntil: undefined,
    });
    expect(gone(paused({ status: 'escalated', escalatedAt: at(9), team: 'night' }))).toMatchObject({
      ...{ status: 'escalated', escalatedAt: at(9), team: 'night', respondBy: null, remindAt: null, paused: null },
    });
  });

  test('it stays snoozed while its snooze lasts', () => {
    const snoozed = gone(paused({ snoozedUntil: at(601), remindInMs: 7000 }));
    expect(snoozed).toMatchObject({ snoozedUntil: at(601), isSnoozed: true, respondBy: null, paused: null });
    expect(snoozed.remindAt).toBeUndefined();
    const over = gone(paused({ snoozedUntil: now }));
    expect([over.isSnoozed, over.snoozedUntil, over.respondBy]).toEqual([undefined, undefined, at(1200)]);
  });
});

test('people hear of an acknowledgement a minute later, if they heard of the alert', () => {
  const notified = (given: Partial<Life>) => takenAt(life(given), now);
  expect(notified({ announcedAt: at(0), channels: ['webhook', 'email'] })).toBe(at(660));
  expect(notified({ announcedAt: null, channels: ['email'] })).toBeNull();
  expect(notified({ announcedAt: at(0), channels: ['webhook'] })).toBeNull();
  expect(notified({ announcedAt: at(0), channels: [] })).toBeNull();
});

test('open again means: nobody has it, no step of its escalation is taken, and it is not over', () => {
  expect(activeAgain).toMatchObject({ status: 'active', isOpen: true, resolved: false, reminders: 0, step: null });
  expect(noClock).toMatchObject({ isSnoozed: false, snoozedUntil: null, respondBy: null, remindAt: null });
  const { isMember: _, ...old } = life({ paused: null });
  expect(goneOn(old as Life, null, now).isMember).toBe(false);
});

describe('when it leaves its incident', () => {
  const judged = { awaitsLook: false, isJudged: true };
  const begun = { ...activeAgain, ...judged, isMember: false };

  test('it keeps the acknowledgement of a person, not that of the incident', () => {
    expect(left(life({ status: 'acknowledged', acknowledgedBy: 'user:ana' }), now)).toEqual({
      ...judged,
      isMember: false,
    });
    const byIncident = { status: 'acknowledged', acknowledgedBy: memberActor('i-1') } as const;
    expect(left(life(byIncident), now)).toEqual({ ...begun, respondBy: at(2400) });
    expect(left(life({ status: 'acknowledged' }), now)).toEqual({ ...begun, respondBy: at(2400) });
    expect(left(life({ status: 'escalated', acknowledgedBy: 'user:ana' }), now)).toEqual({
      ...begun,
      respondBy: at(2400),
    });
  });

  test('its clock starts, unless it is snoozed', () => {
    expect(left(life(), now)).toEqual({ ...begun, respondBy: at(2400) });
    expect(left(life({ isSnoozed: true }), now)).toEqual({ ...begun, respondBy: null });
  });
});
