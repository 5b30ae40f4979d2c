import { expect, test } from 'vitest';
import {
  conflictEndsAt,
  type GuardianFacts,
  guardianAlertIdOf,
  healedEndsAt,
  latestFact,
  noGuardianFacts,
  unhealedOf,
  withGuardianAlert,
} from '../../../../shared/domain/guardian/facts.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { GuardianAlert } from '../../../../shared/schema/guardian/guardian-alert.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const day = 86_400;
const at = (seconds: number) => plus(startOfTests, seconds * 1000);
const head = (seconds: number) => ({
  device: { serial: 's', model: 'm', ip: '10.0.0.1' },
  timestamp: at(seconds),
  severity: 'warning' as const,
});
/** A guardian alert, and when it was published in seconds after the start. */
type Notified = [publishedSeconds: number, alert: GuardianAlert];
const drift = (seconds: number, fields: string[], severity: 'CRITICAL' | 'LOW' = 'CRITICAL'): Notified => [
  seconds,
  {
    alertCode: 'CONFIG_DRIFT',
    ...head(seconds),
    drift: {
      fields: fields.map((name) => ({ name, expected: 1, actual: 2, severity })),
      maxSeverity: severity,
      count: fields.length,
    },
    action: 'HEALING',
  },
];
const heal = (seconds: number, fieldsRestored: string[]): Notified => [
  seconds,
  { alertCode: 'CONFIG_HEALED', ...head(seconds), heal: { fieldsRestored, count: 1, durationMs: 5 } },
];
const conflict = (seconds: number): Notified => [
  seconds,
  {
    alertCode: 'CONFIG_CONFLICT',
    ...head(seconds),
    conflict: { driftCount: 3, window: '5m', healAttempts: 3, lastDrift: { field: 'host', expected: 1, actual: 2 } },
    recommendation: 'x'.repeat(2000),
  },
];
function after(notified: readonly Notified[]): GuardianFacts {
  return notified.reduce(
    (facts, [seconds, alert]) =>
      withGuardianAlert(
        facts,
        alert,
        { guardianAlertId: guardianAlertIdOf('cam-1', alert), receivedAt: at(seconds) },
        waits,
      ) ?? facts,
    noGuardianFacts,
  );
}

test.each<[string, Notified[], string[]]>([
  ['a critical drift', [drift(0, ['host', 'port'])], ['host', 'port']],
  ['a drift of less weight', [drift(0, ['host'], 'LOW')], []],
  ['a heal of some of it', [drift(0, ['host', 'port']), heal(5, ['host'])], ['port']],
  ['the same drift again', [drift(0, ['host']), drift(5, ['host'])], ['host']],
  ['a heal that carries the time of its drift', [heal(0, ['host']), drift(0, ['host'])], []],
  ['a drift after the heal', [drift(0, ['host']), heal(5, ['host']), drift(9, ['host'])], ['host']],
])('after %s what is unhealed is known', (_, notified, expected) => {
  expect(unhealedOf(after(notified)).fields.map(({ name }) => name)).toEqual(expected);
});

test('a heal that was published before its drift heals it: the guardian knows the order', () => {
  const [, late] = drift(0, ['host']);
  expect(unhealedOf(after([heal(5, ['host']), [9, late]])).fields.map(({ name }) => name)).toEqual([]);
});

test('a heal counts for a day, and a drift within it prolongs that', () => {
  expect(healedEndsAt(after([drift(0, ['host'])]), waits)).toBeNull();
  expect(healedEndsAt(after([heal(0, ['host'])]), waits)).toBe(at(day));
  expect(healedEndsAt(after([heal(0, ['host']), drift(60, ['host'])]), waits)).toBe(at(day + 60));
  expect(healedEndsAt(after([heal(0, ['host']), drift(day, ['host'])]), waits)).toBeNull();
});

test('a conflict counts for an hour; a drift prolongs it, a heal does not', () => {
  expect(conflictEndsAt(after([conflict(0)]), waits)).toBe(at(3600));
  expect(conflictEndsAt(after([conflict(0), drift(60, ['host'])]), waits)).toBe(at(3660));
  expect(conflictEndsAt(after([conflict(0), heal(60, ['host'])]), waits)).toBe(at(3600));
});

test('what was sent again is known; a copy published earlier gives its time', () => {
  const notified = drift(60, ['host']);
  const known = after([notified]);
  const [, alert] = notified;
  const again = (seconds: number) =>
    withGuardianAlert(
      known,
      alert,
      { guardianAlertId: guardianAlertIdOf('cam-1', alert), receivedAt: at(seconds) },
      waits,
    );
  expect([again(60), again(90)]).toEqual([null, null]);
  expect(again(30)?.recent.map((fact) => fact.at)).toEqual([at(30)]);
  expect(guardianAlertIdOf('cam-1', alert)).not.toBe(guardianAlertIdOf('cam-2', alert));
});

test('the newest of a kind is that of the guardian, and a long recommendation is cut', () => {
  const [, late] = conflict(5);
  const facts = after([conflict(10), [20, late], heal(30, ['host'])]);
  expect(latestFact(facts, 'CONFIG_CONFLICT')).toMatchObject({ madeAt: at(10), conflict: { driftCount: 3 } });
  expect(latestFact(facts, 'CONFIG_CONFLICT')?.conflict?.recommendation).toHaveLength(500);
  expect(latestFact(facts, 'CONFIG_DRIFT')).toBeNull();
});

test('beyond twelve the oldest is forgotten, not what came of it, and nothing older is taken', () => {
  const more = Array.from({ length: 14 }, (_, index) => heal(60 + index, ['other']));
  const facts = after([drift(0, ['host']), ...more]);
  expect(facts.recent).toHaveLength(12);
  expect(unhealedOf(facts).fields.map(({ name }) => name)).toEqual(['host']);
  const [, old] = drift(30, ['port']);
  expect(
    withGuardianAlert(facts, old, { guardianAlertId: guardianAlertIdOf('cam-1', old), receivedAt: at(30) }, waits),
  ).toBeNull();
});
