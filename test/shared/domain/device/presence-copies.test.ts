import { describe, expect, test } from 'vitest';
import {
  type Connect,
  type Loss,
  noPresence,
  type Presence,
  reconnectsAt,
  reconnectsOf,
  standingLoss,
  withConnection,
} from '../../../../shared/domain/device/presence.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import type { ConnectionReport } from '../../../../shared/schema/device/report.ts';
import { at } from '../../../support/world/timeline.ts';

// Duplicates, and messages that arrive out of order.
const waits = waitsAt(1);
type Said = Omit<Partial<ConnectionReport>, 'status'>;
const lost = (presence: Presence, seconds: number, said: Said = {}, heard?: number) =>
  withConnection(presence, at(seconds), { status: 'offline', ...said }, ...(heard === undefined ? [] : [at(heard)]));
const born = (presence: Presence, seconds: number, said: Said = {}) =>
  withConnection(presence, at(seconds), { status: 'online', ...said });
const loss = (seconds: number, given: Partial<Loss> = {}): Loss => ({
  ...{ at: at(seconds), epoch: null, reason: null, statedAt: null, heardAt: at(seconds) },
  ...given,
});
const connect = (seconds: number, given: Partial<Connect> = {}): Connect => ({
  ...{ epoch: at(seconds), at: at(seconds), isNamed: false, statedAt: null },
  ...given,
});
const named = (epoch: number, seconds = epoch) => connect(seconds, { epoch: at(epoch), isNamed: true });

describe('two losses that name no connection', () => {
  test.each<[number, Said, Said, boolean]>([
    [2, {}, {}, true],
    [2.001, {}, {}, false],
    [600, { timestamp: at(-1) }, { timestamp: at(-1) }, true],
    [600.001, { timestamp: at(-1) }, { timestamp: at(-1) }, false],
    [3, { timestamp: at(-1) }, { timestamp: at(-2) }, false],
    [3, { timestamp: at(-1) }, {}, false],
    [1, { timestamp: at(-1) }, { timestamp: at(-2) }, true],
  ])('%d s apart, reported as %j and %j, are one: %s', (apart, first, second, isOne) => {
    const [early, late] = [lost(noPresence, 0, first), lost(noPresence, apart, second)];
    const losses = (presence: Presence) => presence.losses.map((each) => each.at);
    const expected = isOne ? [at(0)] : [at(0), at(apart)];
    expect(losses(lost(early, apart, second))).toEqual(expected);
    expect(losses(lost(late, 0, first))).toEqual(expected);
  });

  test('that are one leave the presence as it is, where the first was known', () => {
    const presence = lost(noPresence, 0);
    expect(lost(presence, 1)).toBe(presence);
    expect(lost(presence, 0, { reason: 'keepalive' })).toBe(presence);
  });
});

describe('a loss that names its connection', () => {
  test('is known with its reason, and when it was heard', () => {
    const said = { connectedAt: at(0), reason: 'will', timestamp: at(59) };
    expect(lost(noPresence, 60, said, 70)).toEqual({
      ...noPresence,
      connectedAt: at(0),
      losses: [loss(60, { epoch: at(0), reason: 'will', statedAt: at(59), heardAt: at(70) })],
    });
  });

  test('is one with another only if all of it is the same', () => {
    const said = { connectedAt: at(0), reason: 'will' };
    const presence = lost(noPresence, 60, said);
    expect(lost(presence, 60, said, 99)).toBe(presence);
    expect(lost(presence, 60.001, said).losses).toHaveLength(2);
    expect(lost(presence, 60, { ...said, reason: 'other' }).losses).toHaveLength(2);
    expect(lost(presence, 60, { reason: 'will' }).losses).toHaveLength(2);
    expect(lost(lost(noPresence, 60), 61, said).losses).toHaveLength(2);
  });

  test('of a connection that a newer one has followed changes nothing, of a newer one it begins that', () => {
    const presence = born(noPresence, 5, { connectedAt: at(0) });
    expect(lost(presence, 60, { connectedAt: at(-1) })).toBe(presence);
    expect(lost(presence, 60, { connectedAt: at(0) })).toEqual({ ...presence, losses: [loss(60, { epoch: at(0) })] });
    const before = lost(presence, 60, { connectedAt: at(0) });
    expect(lost(before, 90, { connectedAt: at(80) })).toEqual({
      ...presence,
      connectedAt: at(80),
      onlineReportedAt: null,
      losses: [loss(90, { epoch: at(80) })],
    });
    // A loss that names no connection may belong to any.
    expect(lost(presence, 60)).toEqual({ ...presence, losses: [loss(60)] });
  });

  test.each(['takenover', 'discarded'])('is none where another session took its place: %s', (reason) => {
    expect(lost(noPresence, 60, { reason })).toBe(noPresence);
    expect(lost(noPresence, 60, { reason: 'any other' }).losses).toHaveLength(1);
  });
});

test('the first sixteen losses are kept, in one order', () => {
  const all = Array.from({ length: 17 }, (_, index) => index * 10);
  const straight = all.reduce((presence, seconds) => lost(presence, seconds), noPresence);
  expect(straight.losses.map((each) => each.at)).toEqual(all.slice(0, 16).map(at));
  expect(all.toReversed().reduce((presence, seconds) => lost(presence, seconds), noPresence)).toEqual(straight);
  const reasons = ['b', 'a'].reduce(
    (presence, reason) => lost(presence, 0, { reason, connectedAt: at(0) }),
    noPresence,
  );
  expect(reasons.losses.map(({ reason }) => reason)).toEqual(['a', 'b']);
});

describe('a birth', () => {
  test('that names no connection begins one when it is heard', () => {
    expect(born(noPresence, 5, { timestamp: at(4) })).toEqual({
      ...{ connectedAt: at(5), onlineReportedAt: at(5), losses: [], firstEpoch: at(5) },
      connects: [connect(5, { statedAt: at(4) })],
    });
  });

  test.each<[number, Said, Said, number]>([
    [600, { timestamp: at(-1) }, { timestamp: at(-1) }, 1],
    [600.001, { timestamp: at(-1) }, { timestamp: at(-1) }, 2],
    [60, { timestamp: at(-1) }, { timestamp: at(-2) }, 2],
    [1, {}, {}, 2],
    [60, { timestamp: at(-1) }, { timestamp: at(-1), connectedAt: at(1) }, 2],
    [60, { timestamp: at(-1), connectedAt: at(-9) }, { timestamp: at(-1) }, 2],
  ])('heard again after %d s, as %j and then %j, is so many: %d', (apart, first, second, count) => {
    const presence = born(noPresence, 0, first);
    const again = born(presence, apart, second);
    expect(again.connects).toHaveLength(count);
    if (count === 1) expect(again).toBe(presence);
  });

  test('whose copy was heard before it takes the place of that', () => {
    const said = { timestamp: at(-1) };
    const straight = born(noPresence, 5, said);
    expect(born(born(noPresence, 60, said), 5, said)).toEqual({ ...straight, firstEpoch: at(5) });
    // A newer connection stays.
    const newer = born(born(noPresence, 60, said), 90, { connectedAt: at(90) });
    const after = born(newer, 5, said);
    expect(after).toMatchObject({ connectedAt: at(90), onlineReportedAt: at(90), firstEpoch: at(5) });
    expect(after.connects).toEqual([connect(5, { statedAt: at(-1) }), named(90)]);
  });

  test('of an older connection is only counted', () => {
    const presence = born(lost(noPresence, 95, { connectedAt: at(90) }), 91, { connectedAt: at(90) });
    expect(born(presence, 100, { connectedAt: at(60) })).toEqual({
      ...presence,
      firstEpoch: at(60),
      connects: [named(60, 100), named(90, 91)],
    });
  });

  test('of the same connection counts from when it was first heard', () => {
    const presence = born(noPresence, 91, { connectedAt: at(90) });
    expect(born(presence, 95, { connectedAt: at(90) })).toEqual(presence);
    expect(born(presence, 90.5, { connectedAt: at(90) })).toEqual({
      ...presence,
      onlineReportedAt: at(90.5),
      connects: [named(90, 90.5)],
    });
    // The loss of the connection was reported before its birth.
    const unheard = lost(noPresence, 95, { connectedAt: at(90) });
    expect(born(unheard, 99, { connectedAt: at(90) })).toMatchObject({
      onlineReportedAt: at(99),
      losses: [{ at: at(95) }],
    });
  });

  test('ends the losses of older connections', () => {
    const presence = lost(lost(noPresence, 60, { connectedAt: at(0) }), 70);
    expect(born(presence, 90, { connectedAt: at(90) }).losses).toEqual([loss(70)]);
    expect(born(presence, 90, { connectedAt: at(0) }).losses).toHaveLength(2);
  });

  test('is one of at most forty that are kept, in the order of their epochs', () => {
    const all = Array.from({ length: 41 }, (_, index) => index * 10);
    const presence = all.reduce((sum, epoch) => born(sum, epoch, { connectedAt: at(epoch) }), noPresence);
    expect(presence.connects).toEqual(all.slice(1).map((epoch) => named(epoch)));
    expect(presence.firstEpoch).toBe(at(0));
  });
});

describe('reconnects', () => {
  const of = (...connects: Connect[]): Presence => ({ ...noPresence, firstEpoch: at(0), connects });

  test('are in the order in which they were heard; copies that name no connection are one', () => {
    expect(reconnectsOf(of(named(0), connect(11), connect(10)))).toEqual([at(10)]);
    expect(reconnectsOf(of(named(0), connect(12.001), connect(10)))).toEqual([at(10), at(12.001)]);
    expect(reconnectsOf(of(named(0), connect(11), named(10)))).toEqual([at(10), at(11)]);
    expect(reconnectsOf(of(named(10), named(11), named(0, 99)))).toEqual([at(10), at(11)]);
  });

  test('count for an hour', () => {
    expect(reconnectsAt(of(named(10)), at(10 + 3599.999), waits)).toEqual([at(10)]);
    expect(reconnectsAt(of(named(10)), at(10 + 3600), waits)).toEqual([]);
  });
});

test.each([
  [60, 61, true],
  [60, 60, false],
  [60, 59, false],
])('after a birth at %d s a loss at %d s that names no connection stands: %s', (online, seconds, stands) => {
  const presence = { ...noPresence, connectedAt: at(0), onlineReportedAt: at(online), losses: [loss(seconds)] };
  expect(standingLoss(presence, null, waits) !== null).toBe(stands);
  expect(standingLoss({ ...presence, onlineReportedAt: null }, null, waits)).toEqual(loss(seconds));
});
