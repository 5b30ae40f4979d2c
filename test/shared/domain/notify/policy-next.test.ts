import { describe, expect, test } from 'vitest';
import { type Life, newLife } from '../../../../shared/domain/alert/alert.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { comingStep, nextOf } from '../../../../shared/domain/notify/policy.ts';
import { emptyTeam } from '../../../../shared/domain/notify/team.ts';
import type { TakenStep } from '../../../../shared/domain/settings/escalation.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { EscalationPolicy } from '../../../../shared/schema/settings/escalation.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const at = (minutes: number) => plus(startOfTests, minutes * 60_000);
const life = (given: Partial<Life> = {}): Life => ({ ...newLife('CRITICAL', startOfTests), ...given });
const team = (name: string) => ({ ...emptyTeam(name), emails: [`${name}@example.com`] });
const steps: EscalationPolicy['steps'] = [
  { afterMinutes: 0, team: 'day' },
  { afterMinutes: 20, team: 'night' },
  { afterMinutes: 50, team: 'head' },
];
const policies = (escalation?: EscalationPolicy) => ({
  teams: new Map(
    ['operations', 'day', 'night', 'head'].map((name) => [
      name,
      { ...team(name), ...(name === 'operations' && escalation ? { escalation } : {}) },
    ]),
  ),
  settings: defaultSettings,
});
const reached = (number: number): TakenStep => ({
  ...{ number, of: 3, to: 'x', people: [], channels: [], reminders: 9, missing: null },
});

describe('what comes next', () => {
  test('is nothing where nobody waits for anything', () => {
    expect(nextOf(life(), policies(), waits)).toEqual([]);
    expect(nextOf(life({ status: 'escalated', respondBy: at(5) }), policies(), waits)).toEqual([]);
    expect(nextOf(life({ remindAt: at(5) }), policies(), waits)).toEqual([]);
  });

  test('is each clock that runs, soonest first', () => {
    const waiting = life({ snoozedUntil: at(9), maintenanceUntil: at(3), quietUntil: at(5), notifyAfter: at(1) });
    expect(nextOf(waiting, policies(), waits)).toEqual([
      { at: at(1), what: 'People are notified if the condition still holds' },
      {
        at: at(3),
        what: 'The maintenance ends: people are notified of what is open then, and the response time starts',
      },
      { at: at(5), what: 'The quiet hours end: people are notified if it is still true' },
      { at: at(9), what: 'The snooze ends: one reminder is sent and the response time starts again' },
    ]);
    const { quietUntil: _, ...old } = waiting;
    expect(nextOf(old, policies(), waits)).toHaveLength(3);
  });

  const then = 'from then on every 30 min, after 4 h every 4 h';

  test('is each step of the escalation from the end of the response time on, then the last again and again', () => {
    expect(nextOf(life({ respondBy: at(5) }), policies({ steps, repeatMinutes: 30 }), waits)).toEqual([
      { at: at(5), what: 'Nobody answers: escalated to day (step 1 of 3)' },
      { at: at(25), what: 'Nobody answers: escalated to night (step 2 of 3)' },
      { at: at(55), what: 'Nobody answers: escalated to head (step 3 of 3)' },
      // Reminders are aligned to quarters of an hour, so that those of all alerts coincide.
      { at: at(75), what: `Nobody answers: reminder to head, ${then}` },
    ]);
  });

  test('counts from the step that was reached', () => {
    const escalated = life({ status: 'escalated', step: reached(1), remindAt: at(20) });
    expect(nextOf(escalated, policies({ steps, repeatMinutes: 30 }), waits)).toEqual([
      { at: at(20), what: 'Nobody answers: escalated to night (step 2 of 3)' },
      { at: at(50), what: 'Nobody answers: escalated to head (step 3 of 3)' },
      { at: at(75), what: `Nobody answers: reminder to head, ${then}` },
    ]);
  });

  test('is a repeat after the last step', () => {
    const last = life({ status: 'escalated', step: reached(3), remindAt: at(30) });
    expect(nextOf(last, policies({ steps, repeatMinutes: 30 }), waits)).toEqual([
      { at: at(30), what: `Nobody answers: reminder to head, ${then}` },
    ]);
    expect(nextOf(last, policies({ steps, repeatMinutes: 300 }), waits)[0]?.what).toBe(
      'Nobody answers: reminder to head, from then on every 5 h, after 4 h every 5 h',
    );
  });

  test('does not count steps where there is one', () => {
    const [first] = nextOf(life({ respondBy: at(5) }), policies({ steps: steps.slice(0, 1) }), waits);
    expect(first).toEqual({ at: at(5), what: 'Nobody answers: escalated to day' });
    const [ofTwo] = nextOf(life({ respondBy: at(5) }), policies({ steps: steps.slice(0, 2) }), waits);
    expect(ofTwo).toEqual({ at: at(5), what: 'Nobody answers: escalated to day (step 1 of 2)' });
  });
});

describe('the step that is to come', () => {
  const coming = (given: Partial<Life>, now: string) =>
    comingStep(
      life({ status: 'escalated', step: reached(1), remindAt: at(20), ...given }),
      policies({ steps }),
      now,
      waits,
    );

  test('is the one after the step that was reached, at its time', () => {
    expect(coming({}, at(0))).toEqual({ at: at(20), to: 'night' });
    expect(coming({ step: reached(2) }, at(19))).toEqual({ at: at(20), to: 'head' });
  });

  test('is none where it is due already, where the last was taken, or where nothing escalates', () => {
    expect(coming({}, at(20))).toBeNull();
    expect(coming({ step: reached(3) }, at(0))).toBeNull();
    expect(coming({ remindAt: null }, at(0))).toBeNull();
    expect(coming({ status: 'active' }, at(0))).toBeNull();
    expect(coming({ status: 'acknowledged' }, at(0))).toBeNull();
  });
});
