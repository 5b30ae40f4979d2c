import { expect, test } from 'vitest';
import { askedOf, fits, withChanges } from '../../../../../console/src/pages/alerts/alert-match.ts';
import type { Alert } from '../../../../../shared/schema/alert/alert.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();
const alert = (alertId: string, minute: number, more: Partial<Alert> = {}) =>
  ({
    ...{ alertId, timestamp: at(minute), severity: 'ERROR', code: 'RES_001', category: 'resource', groupId: 'north' },
    ...{ deviceId: 'cam-1', site: null, incidentId: null, priority: null, status: 'active', snoozedUntil: null },
    ...more,
  }) as Alert;
const ids = (list: readonly Alert[]) => list.map(({ alertId }) => alertId).join(' ');

test.each([
  [{}, true],
  [{ status: ['resolved'] }, false],
  [{ status: ['all'] }, true],
  [{ status: ['acknowledged', 'active'] }, true],
  [{ severity: ['CRITICAL'] }, false],
  [{ severity: ['CRITICAL', 'ERROR'], groupId: ['north'] }, true],
  [{ site: ['gbg'] }, false],
  [{ priority: ['P1'] }, false],
  [{ snoozed: ['true'] }, false],
  [{ snoozed: ['false'] }, true],
  // Only the service can match text and maintenance.
  [{ q: ['gate'] }, null],
  [{ maintenance: ['true'] }, null],
  [{ q: ['gate'], status: ['resolved'] }, false],
])('the filter %o matches an open alert: %s', (filters, isFit) => {
  expect(fits(alert('a', 0), filters)).toBe(isFit);
});

test('a new alert is inserted in order, a changed one is updated, and one that no longer matches is removed', () => {
  const list = [alert('c', 3), alert('b', 2), alert('a', 1)];
  const acknowledged = alert('b', 2, { status: 'acknowledged' });
  const next = withChanges(list, [alert('d', 4), acknowledged, alert('a', 1, { status: 'resolved' })], {}, false);
  expect(ids(next)).toBe('d c b');
  expect(next[2]).toBe(acknowledged);
  // An alert that arrives twice and out of order is listed once.
  expect(ids(withChanges(next, [alert('d', 4), alert('d', 4)], {}, false))).toBe('d c b');
});

test('an alert that belongs after the last loaded row is not inserted while more pages exist', () => {
  const list = [alert('c', 3), alert('b', 2)];
  expect(ids(withChanges(list, [alert('a', 1)], {}, true))).toBe('c b');
  expect(ids(withChanges(list, [alert('a', 1)], {}, false))).toBe('c b a');
  expect(ids(withChanges([], [alert('a', 1)], {}, false))).toBe('a');
});

test('by urgency: the more severe first, then P1, then the older', () => {
  const list = [alert('critical', 5, { severity: 'CRITICAL' }), alert('old', 1), alert('young', 4)];
  const changes = [alert('first', 9, { severity: 'CRITICAL', priority: 'P1' }), alert('between', 2)];
  expect(ids(withChanges(list, changes, { orderBy: ['urgency desc'] }, false))).toBe(
    'first critical old between young',
  );
  expect(ids(withChanges([list[1] as Alert], [alert('x', 0)], { orderBy: ['timestamp asc'] }, false))).toBe('x old');
});

test.each([
  [{}, 'false'],
  [{ status: ['active'] }, 'false'],
  [{ status: ['open', 'escalated'], severity: ['ERROR'] }, 'false'],
  [{ snoozed: ['true'] }, ['true']],
  [{ status: ['resolved'] }, undefined],
  [{ status: ['all'] }, undefined],
])('the list of %o leaves out what is snoozed: %s', (filters, snoozed) => {
  expect(askedOf(filters)['snoozed']).toEqual(snoozed);
});
