import { describe, expect, test } from 'vitest';
import {
  conflictEndsAt,
  type GuardianFact,
  type GuardianFacts,
  healedEndsAt,
  noGuardianFacts,
  unhealedOf,
  withGuardianAlert,
  withGuardianEvent,
} from '../../../../shared/domain/guardian/facts.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const day = 86_400;
const minute = 60;

/** A fact whose id follows from its code, made and published at the same time. */
function fact(seconds: number, alertCode: GuardianFact['alertCode'], given: Partial<GuardianFact> = {}): GuardianFact {
  const common = { guardianAlertId: `id-${alertCode}`, alertCode, madeAt: at(seconds), at: at(seconds) };
  return { ...common, fields: [], maxSeverity: null, conflict: null, ...given };
}
const drift = (seconds: number, fields: string[], given: Partial<GuardianFact> = {}) =>
  fact(seconds, 'CONFIG_DRIFT', { fields, maxSeverity: 'HIGH', ...given });
const holding = (...recent: GuardianFact[]): GuardianFacts => ({ ...noGuardianFacts, recent });
const unhealed = (...recent: GuardianFact[]) => unhealedOf(holding(...recent));
const notified = (facts: GuardianFacts, type: string, seconds: number, id = `event-${seconds}`) =>
  withGuardianEvent(facts, { type, timestamp: at(seconds) }, id, at(seconds), waits);
const host = (given: object = {}) => ({ name: 'host', isCritical: false, since: at(0), ...given });

describe('what is unhealed', () => {
  test('is nothing at first', () => {
    expect(unhealedOf(noGuardianFacts)).toEqual({ fields: [], failures: 0 });
    expect(unhealed(fact(0, 'CONFIG_CONFLICT', { fields: ['host'] }))).toEqual({ fields: [], failures: 0 });
  });

  test.each([
    ['CRITICAL', [host({ isCritical: true })]],
    ['HIGH', [host()]],
    ['UNHEARD_OF', [host()]],
    ['MEDIUM', []],
    ['LOW', []],
  ])('of a drift of severity %s', (maxSeverity, fields) => {
    expect(unhealed(drift(0, ['host'], { maxSeverity }))).toEqual({ fields, failures: 0 });
  });

  test('keeps the earliest time and the gravest severity of a field', () => {
    const later = (first: string, second: string) =>
      unhealed(
        drift(0, ['host'], { guardianAlertId: 'a', maxSeverity: first }),
        drift(30, ['host'], { guardianAlertId: 'b', maxSeverity: second }),
      ).fields;
    expect(later('HIGH', 'HIGH')).toEqual([host()]);
    expect(later('CRITICAL', 'HIGH')).toEqual([host({ isCritical: true })]);
    expect(later('HIGH', 'CRITICAL')).toEqual([host({ isCritical: true })]);
    // The guardian made `first` earlier, but it was published later.
    const first = drift(0, ['host'], { guardianAlertId: 'a', at: at(90) });
    expect(unhealed(first, drift(30, ['host'], { guardianAlertId: 'b' })).fields).toEqual([host({ since: at(30) })]);
  });

  test('is over where the configuration is correct again, healed or not', () => {
    expect(unhealed(drift(0, ['host', 'port']), fact(5, 'RESTORED'))).toEqual({ fields: [], failures: 0 });
  });

  test('counts the heals that failed while something is unhealed, and forgets them with the last field', () => {
    const failed = [1, 2, 3].map((seconds) => fact(seconds, 'HEAL_FAILED', { guardianAlertId: `f-${seconds}` }));
    expect(unhealed(...failed)).toEqual({ fields: [], failures: 0 });
    const drifted = drift(0, ['host', 'port']);
    expect(unhealed(drifted, ...failed).failures).toBe(3);
    const healed = (fields: string[]) => unhealed(drifted, ...failed, fact(9, 'CONFIG_HEALED', { fields }));
    expect(healed(['port'])).toEqual({ fields: [host()], failures: 3 });
    expect(healed(['port', 'host'])).toEqual({ fields: [], failures: 0 });
  });

  test('at one time of the guardian a drift comes first, then its failed heal, then its end', () => {
    const first = drift(0, ['host'], { guardianAlertId: 'z' });
    expect(unhealed(fact(0, 'HEAL_FAILED', { guardianAlertId: 'a' }), first).failures).toBe(1);
    expect(unhealed(fact(0, 'RESTORED', { guardianAlertId: 'a' }), first).fields).toEqual([]);
    expect(unhealed(fact(0, 'CONFIG_HEALED', { guardianAlertId: 'a', fields: ['host'] }), first).fields).toEqual([]);
  });
});

describe('an event of the guardian', () => {
  test.each([
    ['configuration_restored', 'RESTORED'],
    ['guardian_heal_failed', 'HEAL_FAILED'],
  ] as const)('%s is a fact', (type, alertCode) => {
    const { before } = noGuardianFacts;
    const recent = [fact(7, alertCode, { guardianAlertId: 'event-7' })];
    expect(notified(noGuardianFacts, type, 7)).toEqual({ before, recent });
  });

  test.each(['motion', 'constructor', 'toString', ''])('%j says nothing of a drift', (type) => {
    expect(notified(noGuardianFacts, type, 7)).toBeNull();
  });

  test('prolongs neither a heal nor a conflict, and begins none', () => {
    for (const type of ['configuration_restored', 'guardian_heal_failed']) {
      const healed = notified(holding(fact(0, 'CONFIG_HEALED')), type, minute) ?? noGuardianFacts;
      expect(healedEndsAt(healed, waits)).toBe(at(day));
      const inConflict = notified(holding(fact(0, 'CONFIG_CONFLICT')), type, minute) ?? noGuardianFacts;
      expect(conflictEndsAt(inConflict, waits)).toBe(at(3600));
      expect(healedEndsAt(notified(noGuardianFacts, type, 0) ?? noGuardianFacts, waits)).toBeNull();
    }
  });
});

describe('what is kept', () => {
  const full = holding(
    ...Array.from({ length: 12 }, (_, index) => drift(100 + index, ['x'], { guardianAlertId: `k-${index}` })),
  );

  test('is in the order of cloud time, however it came', () => {
    const one = notified(noGuardianFacts, 'configuration_restored', 50) ?? noGuardianFacts;
    const two = notified(one, 'configuration_restored', 20) ?? noGuardianFacts;
    const three = notified(two, 'configuration_restored', 20, 'a') ?? noGuardianFacts;
    const four = notified(three, 'configuration_restored', 70) ?? noGuardianFacts;
    expect(four.recent.map(({ guardianAlertId }) => guardianAlertId)).toEqual([
      'a',
      'event-20',
      'event-50',
      'event-70',
    ]);
  });

  test('is twelve; the thirteenth folds the oldest into what follows from it', () => {
    const more = notified(full, 'guardian_heal_failed', 50);
    expect(more?.recent).toEqual(full.recent);
    expect(more?.before.unhealed).toEqual({ fields: [], failures: 0 });
    const next = notified(full, 'guardian_heal_failed', 200);
    expect(next?.recent).toHaveLength(12);
    expect(next?.before).toEqual({
      unhealed: { fields: [{ name: 'x', isCritical: false, since: at(100) }], failures: 0 },
      healed: { isOpen: false, lastAt: at(100) },
      conflict: { isOpen: false, lastAt: at(100) },
    });
  });

  test('takes what was published with the forgotten, not before it, and at any time while nothing is forgotten', () => {
    const next = notified(full, 'configuration_restored', 200) ?? noGuardianFacts;
    expect(notified(next, 'configuration_restored', 99)).toBeNull();
    expect(notified(next, 'configuration_restored', 100)).not.toBeNull();
    expect(notified(holding(drift(50, ['x'])), 'configuration_restored', -5)).not.toBeNull();
  });

  test('of an alert that came again, the copy that was published first', () => {
    const alert = {
      alertCode: 'CONFIG_HEALED',
      device: { serial: 's', model: 'm', ip: '10.0.0.1' },
      timestamp: at(0),
      severity: 'info',
      heal: { fieldsRestored: ['host'], count: 1, durationMs: 5 },
    } as const satisfies Parameters<typeof withGuardianAlert>[1];
    const given = { guardianAlertId: 'one', madeAt: at(0), fields: ['host'] };
    const once =
      withGuardianAlert(noGuardianFacts, alert, { guardianAlertId: 'one', receivedAt: at(60) }, waits) ??
      noGuardianFacts;
    expect(once.recent).toEqual([fact(60, 'CONFIG_HEALED', given)]);
    const again = withGuardianAlert(once, alert, { guardianAlertId: 'one', receivedAt: at(59) }, waits);
    expect(again?.recent).toEqual([fact(59, 'CONFIG_HEALED', given)]);
  });
});
