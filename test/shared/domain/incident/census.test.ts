import { describe, expect, test } from 'vitest';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { noPresence } from '../../../../shared/domain/device/presence.ts';
import { censusIdOf, censusOf, darkFrom, isLossUnseen } from '../../../../shared/domain/incident/census.ts';
import type { Counted } from '../../../../shared/domain/incident/outage.ts';
import { placeIdOf } from '../../../../shared/domain/incident/place.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const at = (seconds: number) => plus(startOfTests, seconds * 1000);

test.each([
  [{ lossSeconds: 300, silenceSeconds: 420 }, 15 * 60 + 420],
  [{ lossSeconds: 900, silenceSeconds: 420 }, 15 * 60 + 900],
  [{ lossSeconds: 300, silenceSeconds: null }, 15 * 60 + 300],
])('what went dark a quarter of an hour before its patience %j ended is unrelated', (patience, seconds) => {
  expect(darkFrom({ patience }, at(0), waits)).toBe(at(-seconds));
});

test('cameras with the same places and patience share the count of a minute', () => {
  const id = censusIdOf(['site:a@north'], at(-60), at(0));
  expect(id).toBe(censusIdOf(['site:a@north'], at(-60), at(0)));
  const others = [
    censusIdOf(['site:b@north'], at(-60), at(0)),
    censusIdOf(['site:a@north'], at(-61), at(0)),
    censusIdOf(['site:a@north'], at(-60), at(60)),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});

describe('a census', () => {
  const counted = (total: number, dark: number): Counted => ({
    place: { kind: 'site', id: 'a', groups: ['north'], name: null, isShared: false },
    ...{ state: null, kind: 'site', total, dark, darkness: null },
  });

  test.each([
    [[2, 3], true],
    [[2, 2], false],
    [[], false],
  ])('of places with %j cameras makes messages wait: %s', (totals, isHeld) => {
    const all = totals.map((total) => counted(total, 1));
    expect(censusOf('c-1', all, 'i-1', at(0))).toEqual({
      censusId: 'c-1',
      horizonAt: at(0),
      places: all.map(({ place, total }) => ({ placeId: placeIdOf(place), total, dark: 1 })),
      incidentId: 'i-1',
      isHeld,
      expireAt: at(24 * 3600),
    });
  });
});

describe('a loss that is declared although reports may be missing', () => {
  const lost: Device = {
    ...newDevice('cam-1', at(-3600)),
    presence: { ...noPresence, losses: [{ at: at(0), epoch: null, reason: null, statedAt: null }] },
  };

  test.each([
    ['before its five minutes are over at the horizon', lost, at(299), true],
    ['when they are', lost, at(300), false],
    ['while no horizon is known', lost, null, true],
    ['of a device that is silent', { ...lost, silentSince: at(0) }, at(299), false],
    ['of a device that was not lost', newDevice('cam-1', at(-3600)), at(299), false],
    ['of a device that has come back', { ...lost, aliveAt: at(60) }, at(299), false],
  ])('%s', (_when, device, horizon, expected) => {
    expect(isLossUnseen(device, horizon, waits)).toBe(expected);
  });
});
