import { expect, test } from 'vitest';
import { countedFrom, isGuardianSilent, unguardedAtOf } from '../../../../shared/domain/guardian/guarding.ts';
import type { GuardianTrust } from '../../../../shared/domain/guardian/trust.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at, minute } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const guardian = (healthIntervalSeconds: number) => {
  const health = { at: at(0), idleSince: null, healthIntervalSeconds };
  return { publicKey: 'k', health, countedFrom: null } as unknown as GuardianTrust;
};
const silentAfter = (healthIntervalSeconds: number, silenceSeconds: number | null) => {
  const guarded = { guardianTrust: guardian(healthIntervalSeconds), patience: { silenceSeconds }, isOnline: true };
  const silentAt = unguardedAtOf(guarded, waits) ?? at(0);
  return {
    seconds: (Date.parse(silentAt) - Date.parse(at(0))) / 1000,
    isSilent: [-0.001, 0].map((early) =>
      isGuardianSilent(guarded, at((Date.parse(silentAt) - Date.parse(at(0))) / 1000 + early), waits),
    ),
  };
};

test.each([
  // Three intervals and a minute; or, if longer, the silence of the camera, two minutes for the resolution of sightings, and a minute.
  [300, null, 3 * 300 + 60],
  [300, 420, 3 * 300 + 60],
  [60, null, 3 * 60 + 60],
  [10, null, 3 * 10 + 60],
  [60, 420, 420 + 2 * minute + 60],
  [60, 61, 3 * 60 + 60 + 1],
])(
  'a guardian that reports every %d s, of a camera that may be silent for %s s, is silent after %d s',
  (interval, silence, seconds) => {
    expect(silentAfter(interval, silence)).toEqual({ seconds, isSilent: [false, true] });
  },
);

test('one that never sent a health, or of which no horizon tells, is not silent', () => {
  const patience = { silenceSeconds: 420 };
  expect(isGuardianSilent({ guardianTrust: null, patience }, at(9999), waits)).toBe(false);
  expect(isGuardianSilent({ guardianTrust: guardian(60), patience }, null, waits)).toBe(false);
});

test('one counts as without effect while its camera is there, from when it says so, and not before it is counted', () => {
  const health = { at: at(0), idleSince: at(-100), healthIntervalSeconds: 60 };
  const trust = { publicKey: 'k', health, countedFrom: null } as unknown as GuardianTrust;
  const unguardedAt = (given: object) =>
    unguardedAtOf({ guardianTrust: trust, isOnline: true, patience: { silenceSeconds: null }, ...given }, waits);
  expect(unguardedAt({})).toBe(at(-100));
  expect(unguardedAt({ guardianTrust: countedFrom(trust, at(-40)) })).toBe(at(-40));
  const silent = { ...trust, health: { ...health, idleSince: null } } as unknown as GuardianTrust;
  expect(unguardedAt({ guardianTrust: countedFrom(silent, at(500)) })).toBe(at(500 + 240));
  expect(unguardedAt({ guardianTrust: countedFrom(silent, at(-500)) })).toBe(at(240));
  for (const nothing of [
    { isOnline: false },
    { guardianTrust: null },
    { guardianTrust: undefined },
    { guardianTrust: { ...trust, publicKey: null } },
    { guardianTrust: { ...trust, health: null } },
  ]) {
    expect(unguardedAt(nothing)).toBeNull();
  }
  expect([countedFrom(null, at(0)), countedFrom(undefined, at(0))]).toEqual([null, null]);
});
