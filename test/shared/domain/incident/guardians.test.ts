import { describe, expect, test } from 'vitest';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import type { HealthFact } from '../../../../shared/domain/guardian/trust.ts';
import {
  guardedAgain,
  guardiansIncident,
  isGrave,
  isGuardedAgain,
} from '../../../../shared/domain/incident/guardians.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const at = (minutes: number) => plus(startOfTests, minutes * 60_000);
const members = (now: number, peak: number) => ({ now, peak, back: peak - now });
const camera = (name: string, health: Partial<HealthFact> | null, unguardedAt: string | null = at(-5)): Device => ({
  ...newDevice(name, at(-60)),
  unguardedAt,
  guardianTrust: {
    ...{ publicKey: 'k', oldKey: null, keyUsedAt: null, signedSince: null, epochs: [], forgottenUntil: null },
    ...{ forgottenHealth: 0, countedFrom: null },
    health: health && {
      ...{ status: 'ok', goldenGeneration: 1, lastAlertSeq: 0, healthIntervalSeconds: 300, reason: null, epoch: 'e' },
      ...{ at: at(-21), missingSince: null, alertsMissing: 0, idleSince: null },
      ...health,
    },
  },
});

test.each([
  [{ now: 2, lasting: 0 }, false],
  [{ now: 3, lasting: 0 }, true],
  [{ now: 1, lasting: 1 }, true],
  [{ now: 0, lasting: 0 }, false],
])('three guardians of a group, or one for an hour, are an incident: %j %s', (unguarded, expected) => {
  expect(isGrave(unguarded)).toBe(expected);
});

test.each([
  [members(0, 3), { now: 0, lasting: 0 }, true],
  [members(1, 11), { now: 1, lasting: 0 }, true],
  [members(1, 10), { now: 1, lasting: 0 }, false],
  // The unguarded cameras would open the incident again at once.
  [members(0, 3), { now: 3, lasting: 0 }, false],
  [members(1, 11), { now: 1, lasting: 1 }, false],
])('with %j left, and %j found, it is over: %s', (left, unguarded, expected) => {
  expect(isGuardedAgain(incident({ members: left }), unguarded)).toBe(expected);
});

describe('the incident of guardians', () => {
  const groupOf = (count: number, worst: Device[] = []) =>
    guardiansIncident('north', { now: count, lasting: 1 }, worst, at(0), waits);
  const notified =
    'a guardian that is silent, cannot read its camera, or refuses its golden configuration: ' +
    'what somebody changes there is not found and not restored.';

  test('says which, since when and why, and is announced a minute later', () => {
    const worst = [
      camera('Gate', { status: 'golden-refused', idleSince: at(-5), reason: 'older than the last' }, at(-9)),
      camera('Yard', { status: 'blind', idleSince: at(-5) }),
      camera('Roof', { status: 'ok', reason: 'none' }),
      camera('Door', { status: 'blind', idleSince: null }),
      camera('Ramp', null),
    ];
    const { incidentId, ...rest } = groupOf(5, worst);
    const { incidentId: _, ...expected } = incident({
      kind: 'guardians',
      severity: 'ERROR',
      groups: ['north'],
      scope: { kind: 'group', id: 'north', name: null },
      title: 'Guardians are of no effect in group north',
      message: `5 cameras in group north have ${notified}`,
      members: members(5, 5),
      byGroup: { north: members(5, 5) },
      evidence: [
        'Gate: refuses its golden configuration: older than the last, since 2026-11-20T09:51:00.000Z',
        'Yard: cannot read its camera, since 2026-11-20T09:55:00.000Z',
        'Roof: silent, last heard 2026-11-20T09:39:00.000Z, since 2026-11-20T09:55:00.000Z',
        'Door: silent, last heard 2026-11-20T09:39:00.000Z, since 2026-11-20T09:55:00.000Z',
        'Ramp: silent, last heard never, since 2026-11-20T09:55:00.000Z',
      ],
      timestamp: at(-9),
      lastSeenAt: at(-9),
      notifyAfter: at(1),
    });
    expect(rest).toEqual(expected);
    expect(incidentId).toBe(groupOf(5).incidentId);
    expect(incidentId).not.toBe(guardiansIncident('south', { now: 5, lasting: 1 }, [], at(0), waits).incidentId);
  });

  test('of one camera speaks of one, and begins when it is found where nothing else is known', () => {
    expect(groupOf(1)).toMatchObject({
      title: 'A guardian is of no effect in group north',
      message: `1 camera in group north has ${notified}`,
      timestamp: at(0),
    });
    expect(groupOf(1, [camera('Gate', null, null)])).toMatchObject({ timestamp: at(0) });
  });

  test('of many groups concerns everybody, without counts of groups', () => {
    expect(guardiansIncident(null, { now: 9, lasting: 0 }, [], at(0), waits)).toMatchObject({
      groups: ['*'],
      scope: { kind: 'platform', id: 'watchpost', name: null },
      title: 'Guardians are of no effect in many groups',
      message: `9 cameras in many groups have ${notified}`,
      byGroup: {},
      members: members(9, 9),
    });
  });

  test.each([
    [members(0, 3), '3 cameras are guarded again, or gone, after 12 min.'],
    [members(0, 1), '1 camera is guarded again, or gone, after 12 min.'],
    [members(1, 12), '11 cameras are guarded again, or gone, after 12 min. 1 is not yet.'],
    [members(2, 30), '28 cameras are guarded again, or gone, after 12 min. 2 are not yet.'],
  ])('says when it is over how many are back: %j', (left, message) => {
    const before = incident({ members: left });
    expect(guardedAgain(before, at(12))).toEqual({
      ...before,
      endedAt: at(12),
      message,
      evidence: [...before.evidence, message],
    });
  });
});
