import { describe, expect, test } from 'vitest';
import { type AlertRecord, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import type { AlertChange } from '../../../../shared/domain/alert/change.ts';
import { decideAlert } from '../../../../shared/domain/alert/lifecycle.ts';
import { planOf } from '../../../../shared/domain/settings/rules.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { at } from '../../../support/world/timeline.ts';

const plan = planOf([], defaultSettings, seedAlert(seed({}), at(0)), at(0));

function seed(given: Partial<AlertRecord>) {
  return {
    ...{ alertId: 'a-1', deviceId: 'cam-1', groupId: 'north', code: 'RES_001', message: 'Memory', context: {} },
    ...given,
  } as const as Parameters<typeof seedAlert>[0];
}
const changed = (alert: AlertRecord, change: AlertChange, who = 'user:ana', seconds = 60) => {
  const outcome = decideAlert(alert, change, who, at(seconds));
  if (outcome.kind !== 'changed') throw new Error(`it is ${outcome.kind}`);
  return outcome.alert;
};
const open: AlertChange = { kind: 'open', plan, responseMs: 3_600_000 };
const opened = (given: Partial<AlertRecord> = {}) =>
  changed({ ...seedAlert(seed({}), at(0)), ...given }, open, 'device', 0);

test('an alert that opens while its device and code are snoozed runs no clock', () => {
  expect(opened()).toMatchObject({ respondBy: at(3600), dueAt: at(3600), responseMs: 3_600_000 });
  const snoozed = opened({ snoozedUntil: at(7200), isSnoozed: true });
  expect(snoozed).toMatchObject({ respondBy: null, dueAt: at(7200), responseMs: 3_600_000, status: 'active' });
});

test('the response time of an alert that is held back begins when people hear of it', () => {
  expect(opened({ notifyAfter: at(60) })).toMatchObject({ respondBy: at(3660), dueAt: at(60) });
});

describe('an acknowledgement can be undone', () => {
  const acknowledged = changed({ ...opened(), announcedAt: at(0) }, { kind: 'acknowledge' });
  test.each<[AlertChange, boolean]>([
    [{ kind: 'add-note', text: 'Ladder is in the shed' }, true],
    [{ kind: 'update', why: 'text' }, true],
    [{ kind: 'widen', why: 'more' }, true],
    [{ kind: 'see', why: 'again' }, false],
    [{ kind: 'worsen', why: 'more' }, false],
    [{ kind: 'join', why: 'outage' }, false],
    [{ kind: 'announce-taken', why: 'time' }, false],
  ])('after %o: %s', (change, canBe) => {
    const later = changed(acknowledged, change, 'device', 70);
    expect(later.undo !== null).toBe(canBe);
    expect(decideAlert(later, { kind: 'unacknowledge' }, 'user:ana', at(80)).kind).toBe(canBe ? 'changed' : 'refused');
  });
});

test('a snooze until the same time changes nothing, another time does', () => {
  const until = at(7200);
  const snoozed = changed(opened(), { kind: 'snooze', until });
  expect(snoozed).toMatchObject({ snoozedUntil: until, isSnoozed: true, respondBy: null, dueAt: until });
  expect(decideAlert(snoozed, { kind: 'snooze', until }, 'user:ana', at(70)).kind).toBe('unchanged');
  expect(decideAlert(snoozed, { kind: 'snooze', until: at(7201) }, 'user:ana', at(70)).kind).toBe('changed');
  expect(decideAlert(opened(), { kind: 'unsnooze' }, 'user:ana', at(70)).kind).toBe('unchanged');
  const ended = changed(snoozed, { kind: 'snooze-end', why: 'time' }, 'system', 7200);
  expect(ended).toMatchObject({ snoozedUntil: null, isSnoozed: false, respondBy: at(10_800), dueAt: at(10_800) });
});

test('a member of an incident runs no clock but a snooze, and has its own again when it leaves', () => {
  const joined = changed(opened(), { kind: 'join', why: 'outage' });
  expect(joined).toMatchObject({ isMember: true, respondBy: null, remindAt: null, dueAt: null });
  const left = changed(joined, { kind: 'leave', why: 'over' }, 'system', 120);
  expect(left).toMatchObject({ isMember: false, respondBy: at(3720), dueAt: at(3720) });
});
