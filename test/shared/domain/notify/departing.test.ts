import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { departing } from '../../../../shared/domain/notify/departing.ts';
import { newTarget, type TargetRecord } from '../../../../shared/domain/notify/target.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const slot = {
  ...{ targetId: 't', form: 'one', use: 'direct', isUrgent: false, window: null, hasLeft: false },
} as unknown as NonNullable<Delivery['slot']>;
const delivery = (given: Partial<NonNullable<Delivery['slot']>> = {}, other: Partial<Delivery> = {}): Delivery =>
  ({
    ...{ deliveryId: 'd', channel: 'sms', target: { kind: 'sms', team: 'night', address: '+46701234567' } },
    ...{
      targetName: 'Anna',
      deviceId: 'cam-1',
      status: 'pending',
      attempts: [],
      round: { number: 1, at: now, by: null },
      outcomes: [],
      version: 1,
      dueAt: now,
      createdAt: now,
    },
    ...{ message: { about: 'alert', id: 'a', occasion: 'opened' }, slot: { ...slot, ...given }, ...other },
  }) as unknown as Delivery;
const target = (given: Partial<TargetRecord> = {}) => ({ ...newTarget(delivery(), slot), window: 3, ...given });
const full = [plus(now, -3000), plus(now, -2000), plus(now, -1000)];
const leaving = (one: Delivery, of: TargetRecord | null, isTrue = true) => departing(one, of, isTrue, now, waits);
/** The status of the delivery, and whether it names the window whose digest includes it. */
const dropped = ({ delivery: one }: { delivery: Delivery }) => [one.status, JSON.stringify(one).includes('t@3')];

describe('a message that is due', () => {
  test('leaves with a slot, which its target counts', () => {
    const { delivery: left, leaves } = leaving(delivery(), target());
    expect(left.slot?.hasLeft).toBe(true);
    expect(leaves).toMatchObject({ directAt: [now], left: [{ about: 'a', occasion: 'opened' }], version: 1 });
    expect(leaving(delivery(), null).leaves).toMatchObject({ window: 1, directAt: [now] });
  });

  test('is not noted as one of the window where it is the digest', () => {
    expect(leaving(delivery({ use: 'digest' }), target()).leaves).toMatchObject({ left: [], digestAt: now });
  });

  test('does not leave where it is true no more', () => {
    const { delivery: one, leaves } = leaving(delivery(), target(), false);
    expect([one.status === 'pending', leaves]).toEqual([false, null]);
    expect(JSON.stringify(one)).toContain('overtaken');
  });

  test('does not leave where the digest of its window contained it already, unless it left before', () => {
    const old = leaving(delivery({ window: 2 }), target());
    expect([old.delivery.status === 'pending', old.leaves]).toEqual([false, null]);
    expect(leaving(delivery({ window: 3 }), target()).leaves).not.toBeNull();
    expect(leaving(delivery({ window: 2, hasLeft: true }), target()).leaves).not.toBeNull();
  });
});

describe('without a free slot', () => {
  const busy = target({ directAt: full });

  test('a message that its record noted is left to the digest, and another is noted by its delivery', () => {
    const [noted, unnoted] = [leaving(delivery({ window: 3 }), busy), leaving(delivery(), busy)];
    expect([noted.leaves, unnoted.leaves]).toEqual([null, null]);
    expect(dropped(noted)[0]).not.toBe('pending');
    expect(dropped(unnoted)[0]).toBe(dropped(noted)[0]);
    expect([dropped(noted)[1], dropped(unnoted)[1]]).toEqual([false, true]);
  });

  test('a digest waits until one is free, a little later than others that wait', () => {
    const { delivery: waiting, leaves } = leaving(delivery({ use: 'digest' }), target({ digestAt: plus(now, -1000) }));
    expect([waiting.status, leaves]).toEqual(['pending', null]);
    const free = plus(now, waits.digestWindow - 1000);
    expect((waiting.dueAt ?? '') > free && (waiting.dueAt ?? '') <= plus(free, 2001)).toBe(true);
  });
});

describe('a gathered message', () => {
  test('waits for the digest, and opens the window of one that has none', () => {
    const { leaves, opens, delivery: one } = leaving(delivery({ isGathered: true }), target({ isQuiet: true }));
    expect([leaves, one.status === 'pending']).toEqual([null, false]);
    expect(opens).toMatchObject({ isQuiet: false, dueAt: plus(now, waits.digestWindow), version: 1, window: 3 });
    expect(leaving(delivery({ isGathered: true }), target({ dueAt: now })).opens).toBeUndefined();
  });

  test('is noted by its delivery only where its record did not note it', () => {
    const noted = leaving(delivery({ isGathered: true, window: 3 }), target());
    expect([dropped(noted)[1], dropped(leaving(delivery({ isGathered: true }), target()))[1]]).toEqual([false, true]);
  });
});
