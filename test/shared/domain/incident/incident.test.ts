import { describe, expect, test } from 'vitest';
import { concerns, isPartly, seedIncident, toWireIncident } from '../../../../shared/domain/incident/incident.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

test('a new incident is open, and nobody was notified of it', () => {
  const seed = {
    incidentId: 'i-1',
    kind: 'unreadable' as const,
    groups: ['north'],
    scope: { kind: 'firmware', id: 'M1 2.0', name: null },
    title: 'Title',
    message: 'Message',
    members: { now: 1, peak: 2, back: 1 },
    evidence: ['seen'],
  };
  expect(seedIncident(seed, 'WARNING', startOfTests)).toEqual({
    ...incident({ ...seed, severity: 'WARNING' }),
    ...{ byGroup: {}, outage: null, joinedTo: null, notifiedVersions: [], notifiedTargets: [], endedAt: null },
    ...{
      status: 'active',
      isOpen: true,
      resolved: false,
      isSnoozed: false,
      isMember: false,
      occurrences: 1,
      version: 0,
    },
    ...{ flapping: false, isMaintained: false, reminders: 0, timestamp: startOfTests },
  });
});

test.each([
  [['north'], null, true, false],
  [['*'], null, true, false],
  [['north'], ['north'], true, false],
  [['north', 'south'], ['north', 'south', 'west'], true, false],
  [['north', 'south'], ['south'], true, true],
  [['*'], ['south'], true, true],
  [['*'], [], true, true],
  [['north'], ['south'], false, true],
  [['north'], [], false, true],
])('an incident of %j for a view of %j: visible %s, in part %s', (groups, view, isVisible, isInPart) => {
  expect(concerns({ groups }, view)).toBe(isVisible);
  expect(isPartly({ groups }, view)).toBe(isInPart);
});

describe('on the wire', () => {
  const counts = (now: number, peak: number, back: number) => ({ now, peak, back });
  const record = incident({
    groups: ['north', 'south', 'west'],
    members: counts(6, 9, 3),
    byGroup: { north: counts(1, 2, 1), south: counts(4, 5, 1) },
    ...{ status: 'acknowledged', acknowledgedAt: startOfTests, acknowledgedBy: 'ana', respondBy: startOfTests },
    ...{ team: 'night', maintenance: 'w-1', joinedTo: 'i-2', priority: 'P1', escalatedAt: null, snoozedUntil: null },
  });
  const common = {
    ...{ incidentId: record.incidentId, kind: 'outage', severity: 'CRITICAL', status: 'acknowledged' },
    ...{ scope: record.scope, title: record.title, startedAt: startOfTests, endedAt: null, resolvedAt: null },
    ...{ acknowledgedAt: startOfTests, escalatedAt: null, snoozedUntil: null, priority: 'P1' },
    ...{ version: record.version, groupEnds: {}, spells: [], isFlapping: false, continuesId: null },
  };
  const whole = {
    ...common,
    ...{ groups: ['north', 'south', 'west'], members: counts(6, 9, 3), message: record.message },
    ...{ evidence: record.evidence, availableActions: ['resolve', 'add-note', 'view-history'], acknowledgedBy: 'ana' },
    ...{ respondBy: startOfTests, team: 'night', maintenance: 'w-1', joinedTo: 'i-2' },
  };
  const part = {
    ...common,
    ...{ message: record.title, evidence: [], availableActions: ['view-history'], acknowledgedBy: null },
    ...{ respondBy: null, team: null, maintenance: null, joinedTo: null },
  };

  test('whoever has all its groups sees the whole of it', () => {
    expect(toWireIncident(record, null)).toEqual(whole);
    expect(toWireIncident(record, ['west', 'south', 'north', 'east'])).toEqual(whole);
    const { maintenance: _, ...before } = record;
    expect(toWireIncident({ ...before, joinedTo: null } as typeof record, null)).toEqual({
      ...whole,
      ...{ maintenance: null, joinedTo: null },
    });
  });

  test.each([
    [['south', 'north'], ['north', 'south'], counts(5, 7, 2)],
    [['south', 'east'], ['south'], counts(4, 5, 1)],
    [['west'], ['west'], counts(0, 0, 0)],
  ])('a viewer of %j sees his own groups and counts, and no evidence about others', (view, groups, members) => {
    expect(toWireIncident(record, view)).toEqual({ ...part, groups, members });
  });

  test('of what concerns everybody a limited viewer sees title, times and status', () => {
    const everybodys = { ...record, groups: ['*'] };
    expect(toWireIncident(everybodys, ['north'])).toEqual({ ...part, groups: ['*'], members: null });
    expect(toWireIncident(everybodys, null)).toEqual({ ...whole, groups: ['*'] });
  });
});
