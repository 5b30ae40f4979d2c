import { expect, test } from 'vitest';
import { type Life, newLife } from '../../../../shared/domain/alert/alert.ts';
import { dueChange } from '../../../../shared/domain/alert/due.ts';
import { thresholds, waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';

const now = '2026-11-20T10:00:00.000Z';
const later = plus(now, 1);
const waits = waitsAt(1);
const hold = { windowId: 'w', name: 'Works', until: plus(now, 3_600_000) };
const open = (given: Partial<Life>): Life => ({
  ...newLife('ERROR', plus(now, -60_000)),
  isOpen: true,
  status: 'active',
  ...given,
});

test.each<[string, Partial<Life>, string | null]>([
  ['nothing is set', {}, null],
  ['nothing is due yet', { notifyAfter: later, respondBy: later, remindAt: later, snoozedUntil: later }, null],
  ['it is over', { isOpen: false, status: 'resolved', respondBy: now }, null],
  ['its snooze ends', { snoozedUntil: now, respondBy: now }, 'snooze-end'],
  ['its opening was held back', { notifyAfter: now, respondBy: now }, 'announce'],
  ['its response time has passed', { respondBy: now }, 'escalate'],
  ['somebody has it', { status: 'acknowledged', respondBy: now }, null],
  ['it is escalated already', { status: 'escalated', respondBy: now }, null],
  ['a reminder is due', { status: 'escalated', remindAt: now }, 'remind'],
  ['a reminder is due of what is not escalated', { remindAt: now }, null],
  ['its maintenance window is over', { maintenanceUntil: now, respondBy: now }, 'maintenance-end'],
])('where %s', (_, given, kind) => {
  expect(dueChange(open(given), now, { escalationTeam: 'night' }, waits)?.kind ?? null).toBe(kind);
});

test.each<[string, Partial<Life>, string | null]>([
  ['nothing is due', { respondBy: later }, null],
  ['its opening was held back', { notifyAfter: now }, 'maintain'],
  ['its response time has passed', { respondBy: now }, 'maintain'],
  ['a reminder is due', { status: 'escalated', remindAt: now }, 'maintain'],
  ['the window was made longer', { maintenanceUntil: now }, 'maintain'],
  ['its snooze ends', { snoozedUntil: now }, 'snooze-end'],
])('in a maintenance window, where %s', (_, given, kind) => {
  expect(dueChange(open(given), now, { escalationTeam: 'night' }, waits, hold)?.kind ?? null).toBe(kind);
});

test('a rule decides the team that an alert is escalated to, else the settings do', () => {
  const teamOf = (given: Partial<Life>) =>
    dueChange(open({ respondBy: now, ...given }), now, { escalationTeam: 'night' }, waits);
  expect(teamOf({ escalation: { team: 'day', ruleId: 'r' } })).toMatchObject({ team: 'day' });
  expect(teamOf({})).toMatchObject({ team: 'night', remindAt: plus(now, waits.reminder) });
});

test('after so many reminders they are seldom, and never end; only an escalated alert is reminded of after maintenance', () => {
  const reminded = (reminders: number) =>
    dueChange(open({ status: 'escalated', remindAt: now, reminders }), now, { escalationTeam: 'night' }, waits);
  expect(reminded(thresholds.reminders - 2)).toMatchObject({ kind: 'remind', remindAt: plus(now, waits.reminder) });
  expect(reminded(thresholds.reminders - 1)).toMatchObject({
    kind: 'remind',
    remindAt: plus(now, waits.reminderLater),
  });
  const after = (status: Life['status']) =>
    dueChange(open({ status, maintenanceUntil: now }), now, { escalationTeam: 'night' }, waits);
  expect([after('escalated'), after('active')]).toMatchObject([
    { remindAt: plus(now, waits.reminder) },
    { remindAt: null },
  ]);
});
