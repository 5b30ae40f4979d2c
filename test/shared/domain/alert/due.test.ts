import { expect, test } from 'vitest';
import { type Life, newLife } from '../../../../shared/domain/alert/alert.ts';
import { dueChange } from '../../../../shared/domain/alert/due.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { type Ladder, repeatAt } from '../../../../shared/domain/settings/escalation.ts';
import { plus } from '../../../../shared/domain/time.ts';

const now = '2026-11-20T10:00:00.000Z';
const later = plus(now, 1);
const waits = waitsAt(1);
const minute = 60_000;
const stepTo = (team: string, afterMinutes = 0) => ({
  team,
  to: team,
  people: [],
  afterMs: afterMinutes * minute,
  channels: [],
  missing: null,
});
const ladder: Ladder = { steps: [stepTo('night')], repeatMs: 30 * minute };
const hold = { windowId: 'w', name: 'Works', until: plus(now, 60 * minute) };
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
  expect(dueChange(open(given), now, ladder, waits)?.kind ?? null).toBe(kind);
});

test.each<[string, Partial<Life>, string | null]>([
  ['nothing is due', { respondBy: later }, null],
  ['its opening was held back', { notifyAfter: now }, 'maintain'],
  ['its response time has passed', { respondBy: now }, 'maintain'],
  ['a reminder is due', { status: 'escalated', remindAt: now }, 'maintain'],
  ['the window was made longer', { maintenanceUntil: now }, 'maintain'],
  ['its snooze ends', { snoozedUntil: now }, 'snooze-end'],
])('in a maintenance window, where %s', (_, given, kind) => {
  expect(dueChange(open(given), now, ladder, waits, hold)?.kind ?? null).toBe(kind);
});

test('each step is taken in its turn, and the last is repeated on whole half hours, for four hours, then every four hours', () => {
  const three: Ladder = { steps: [stepTo('night'), stepTo('day', 10), stepTo('head', 40)], repeatMs: 30 * minute };
  let life: Life = open({ respondBy: now });
  let at = now;
  const heard: string[] = [];
  for (let count = 0; count < 14; count += 1) {
    const change = dueChange(life, at, three, waits);
    if (change?.kind !== 'escalate' && change?.kind !== 'remind') throw new Error(`${change?.kind} at ${at}`);
    heard.push(`${(Date.parse(at) - Date.parse(now)) / minute} ${change.kind} ${change.team} ${change.step.number}`);
    const reminders = life.reminders + (change.kind === 'remind' ? 1 : 0);
    life = { ...life, status: 'escalated', step: change.step, remindAt: change.remindAt, reminders };
    at = change.remindAt;
  }
  expect(heard).toEqual([
    '0 escalate night 1',
    '10 escalate day 2',
    '40 escalate head 3',
    ...[60, 90, 120, 150, 180, 210, 240, 270, 300].map((minutes) => `${minutes} remind head 3`),
    ...[540, 780].map((minutes) => `${minutes} remind head 3`),
  ]);
});

test.each([
  // On a multiple of the interval if that is at least half the longest gap away, otherwise on a multiple of half the interval.
  ['12:00:00', 30, 30, '12:30:00'],
  ['12:05:10', 30, 30, '12:30:00'],
  ['12:14:59', 30, 30, '12:30:00'],
  ['12:15:00', 30, 30, '12:30:00'],
  ['12:15:01', 30, 30, '12:45:00'],
  ['12:29:59', 30, 30, '12:45:00'],
  ['12:45:00', 30, 30, '13:00:00'],
  ['12:03:00', 5, 5, '12:07:30'],
  ['12:07:30', 5, 5, '12:10:00'],
  ['12:01:00', 7, 7, '12:06:30'],
  ['12:29:59', 30, 240, '16:00:00'],
  ['12:30:00', 30, 240, '16:30:00'],
])('what is repeated from %s on every %i min, after %i at most, comes at %s', (from, every, gap, at) => {
  const next = repeatAt({ repeatMs: every * minute }, `2026-11-20T${from}.000Z`, gap * minute);
  expect(next).toBe(`2026-11-20T${at}.000Z`);
});

test('a policy that was made shorter meanwhile goes on with its last step', () => {
  const step = { number: 3, of: 3, to: 'head', people: [], channels: [], reminders: 8, missing: null };
  const life = open({ status: 'escalated', remindAt: now, step });
  expect(dueChange(life, now, ladder, waits)).toMatchObject({ kind: 'remind', team: 'night', step: { number: 1 } });
});

test('whom a step names by the end of maintenance is notified of what was escalated, and its clock goes on', () => {
  const after = (status: Life['status']) => dueChange(open({ status, maintenanceUntil: now }), now, ladder, waits);
  expect([after('escalated'), after('active')]).toMatchObject([
    { escalated: { team: 'night', remindAt: plus(now, 30 * minute) } },
    { escalated: null },
  ]);
});
