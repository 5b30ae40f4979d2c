import { describe, expect, test } from 'vitest';
import type { AlertChange } from '../../../../shared/domain/alert/change.ts';
import {
  type MemberChange,
  memberAction,
  memberChangeOf,
  membersOfStep,
  stillHolds,
} from '../../../../shared/domain/incident/member-action.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

const until = plus(startOfTests, 60_000);
const changes = {
  acknowledge: { kind: 'acknowledge' },
  resolve: { kind: 'resolve' },
  reopen: { kind: 'reopen' },
  unacknowledge: { kind: 'unacknowledge' },
  unsnooze: { kind: 'unsnooze' },
  snooze: { kind: 'snooze', until },
  release: { kind: 'release' },
} as const satisfies Record<string, MemberChange>;

describe('what happens to an incident happens to its members', () => {
  test.each([
    [{ kind: 'acknowledge' }, changes.acknowledge],
    [{ kind: 'resolve', note: 'mended' }, changes.resolve],
    [{ kind: 'reopen' }, changes.reopen],
    [{ kind: 'unacknowledge' }, changes.unacknowledge],
    [{ kind: 'unsnooze' }, changes.unsnooze],
    [{ kind: 'snooze', until }, changes.snooze],
    [{ kind: 'end', resolution: 'automatic', why: 'over' }, changes.release],
    [{ kind: 'escalate' }, null],
    [{ kind: 'add-note', note: 'n' }, null],
  ] as unknown as [AlertChange, MemberChange | null][])('%j: %j', (change, expected) => {
    expect(memberChangeOf(change)).toEqual(expected);
  });

  test('in steps, once for each version of it, and is forgotten after a day', () => {
    expect(memberAction({ incidentId: 'i-1', version: 4 }, changes.snooze, startOfTests)).toEqual({
      actionId: 'i-1-4-snooze',
      incidentId: 'i-1',
      change: changes.snooze,
      after: null,
      steps: 0,
      dueAt: startOfTests,
      version: 1,
      expireAt: plus(startOfTests, 86_400_000),
    });
    expect(membersOfStep).toBe(100);
  });
});

describe('an action still holds for members while its incident is as it left it', () => {
  const over = { endedAt: until };
  test.each([
    ['acknowledge', { status: 'acknowledged' }, true],
    ['acknowledge', { status: 'active' }, false],
    ['resolve', { status: 'resolved' }, true],
    ['resolve', { status: 'active' }, false],
    ['snooze', { snoozedUntil: until }, true],
    ['snooze', { snoozedUntil: null }, false],
    ['snooze', { snoozedUntil: startOfTests }, false],
    ['release', over, true],
    ['release', {}, false],
    ...(['unacknowledge', 'unsnooze', 'reopen'] as const).flatMap(
      (kind) =>
        [
          [kind, { status: 'active' }, true],
          [kind, { status: 'escalated' }, true],
          [kind, { status: 'acknowledged' }, false],
          [kind, { status: 'resolved' }, false],
        ] as const,
    ),
  ] as const)('%s of %j: %s', (kind, given, expected) => {
    expect(stillHolds(incident(given), changes[kind])).toBe(expected);
  });
});
