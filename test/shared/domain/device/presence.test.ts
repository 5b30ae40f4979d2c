import { describe, expect, test } from 'vitest';
import {
  noPresence,
  type Presence,
  reconnectsAt,
  standingLoss,
  withConnection,
  withoutAnswered,
} from '../../../../shared/domain/device/presence.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { ConnectionReport } from '../../../../shared/schema/device/report.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const at = (seconds: number) => plus(startOfTests, seconds * 1000);
type Notified = [receivedSeconds: number, body: ConnectionReport];
const online = (received: number, epoch: number): Notified => [received, { status: 'online', connectedAt: at(epoch) }];
const lost = (received: number, epoch: number | null, reason?: string): Notified => [
  received,
  { status: 'offline', ...(epoch === null ? {} : { connectedAt: at(epoch) }), ...(reason ? { reason } : {}) },
];
const after = (notified: readonly Notified[]): Presence =>
  notified.reduce((presence, [seconds, body]) => withConnection(presence, at(seconds), body), noPresence);
const lossAfter = (notified: readonly Notified[], aliveAt: number | null = null) =>
  standingLoss(after(notified), aliveAt === null ? null : at(aliveAt), waits);

describe('a loss', () => {
  test('stands until a newer connection', () => {
    expect(lossAfter([online(0, 0), lost(60, 0)])?.at).toBe(at(60));
    expect(lossAfter([online(0, 0), lost(60, 0), online(90, 90)])).toBeNull();
  });

  test.each<[string, boolean, Notified[]]>([
    ['the last will of an old connection comes behind a birth', false, [online(0, 0), online(90, 90), lost(91, 0)]],
    ['birth and loss of one connection come the other way round', true, [lost(60, 0), online(61, 0)]],
    ['one that names no connection comes before the birth', false, [lost(60, null), online(90, 90)]],
    ['one that names no connection comes after the birth', true, [online(0, 0), lost(60, null)]],
    ['another session took its place', false, [online(0, 0), lost(60, 0, 'takenover')]],
  ])('stands where %s: %s', (_, stands, notified) => {
    expect(lossAfter(notified) !== null).toBe(stands);
  });

  test.each([
    [65, true],
    [65.001, false],
  ])('at 60 s stands after a report of %s s, which may have been on its way: %s', (aliveAt, stands) => {
    expect(lossAfter([online(0, 0), lost(60, 0)], aliveAt) !== null).toBe(stands);
  });

  test('that was answered is forgotten, and another is not', () => {
    const presence = after([online(0, 0), lost(60, 0), lost(120, 0)]);
    expect(withoutAnswered(presence, at(100), waits).losses.map((loss) => loss.at)).toEqual([at(120)]);
    expect(withoutAnswered(presence, at(10), waits)).toBe(presence);
  });
});

test('in whatever order they come, and twice, reports of a connection lead to one presence', () => {
  const notified = [online(0, 0), lost(60, 0), online(90, 90), lost(200, 90), online(230, 230)];
  const straight = after(notified);
  expect(after(notified.toReversed())).toEqual(straight);
  expect(after([...notified, ...notified])).toEqual(straight);
});

test('reconnects count within an hour; the first connection ever is none, whenever it is heard of', () => {
  const notified = [online(0, 0), online(600, 600), online(1200, 1200)];
  expect(reconnectsAt(after(notified), at(1300), waits)).toEqual([at(600), at(1200)]);
  expect(reconnectsAt(after(notified), at(600 + 3600), waits)).toEqual([at(1200)]);
  expect(reconnectsAt(after(notified.toReversed()), at(1300), waits)).toEqual([at(600), at(1200)]);
});
