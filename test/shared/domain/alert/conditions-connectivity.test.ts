import { describe, expect, test } from 'vitest';
import { type Condition, connectivityConditions } from '../../../../shared/domain/alert/conditions.ts';

import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import type { Presence } from '../../../../shared/domain/device/presence.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at, minute } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const quarter = 15 * minute;
const conditionOf = (code: string): Condition => {
  const condition = connectivityConditions.find((each) => each.code === code);
  if (!condition) throw new Error(code);
  return condition;
};
const lost = conditionOf('CONN_001');
const unstable = conditionOf('CONN_002');
const slow = conditionOf('CONN_003');

const deviceWith = (given: Partial<Device>): Device => ({ ...newDevice('cam-1', at(-minute)), ...given });
const connectsAt = (...seconds: number[]): Presence['connects'] =>
  seconds.map((second) => ({ epoch: at(second), at: at(second), isNamed: true, statedAt: null }));
const lostAt = (seconds: number, reason: string | null = null): Partial<Device> => ({
  presence: {
    ...{ connectedAt: at(0), onlineReportedAt: at(0), firstEpoch: at(0), connects: connectsAt(0) },
    losses: [{ at: at(seconds), epoch: at(0), reason, statedAt: null, heardAt: at(seconds) }],
  },
});

describe('CONN_001', () => {
  const device = deviceWith({ ...lostAt(10), lastSeenAt: at(5) });

  test('is looked at when the broker’s word is declared whatever can be seen, unless it is open', () => {
    expect(lost.changesAt?.(device, waits)).toEqual([at(10 + quarter)]);
    expect(lost.changesAt?.(deviceWith({}), waits)).toEqual([null]);
    const alert = { CONN_001: { alertId: 'a-1' } } as unknown as Device['open'];
    expect(lost.changesAt?.({ ...device, open: alert }, waits)).toEqual([null]);
    expect(lost.absentAt?.(device, waits)).toEqual([at(10 + 5 * minute)]);
  });

  test('that nobody could see in time says so, and one that was seen does not', () => {
    const at15 = at(10 + quarter);
    const at5 = at(10 + 5 * minute);
    expect(lost.holds(device, at(10 + quarter - 0.001), waits, at(0))).toBeNull();
    expect(lost.holds(device, at15, waits, at(0))?.message).toBe(
      'MQTT connection lost for more than 5 minutes: disconnected; Watchpost itself saw late, it may be back',
    );
    expect(lost.holds(device, at5, waits, at5)?.message).toBe(
      'MQTT connection lost for more than 5 minutes: disconnected',
    );
    const kept = deviceWith(lostAt(10, 'keepalive_timeout'));
    expect(lost.holds(kept, at5, waits, at5)?.message).toBe(
      'MQTT connection lost for more than 5 minutes: disconnected, reason: keepalive_timeout',
    );
  });

  test('was connected until the loss as it was told, even if a report was on its way then', () => {
    const at5 = at(10 + 5 * minute);
    const lastConnected = (lastSeenAt: number) =>
      lost.holds({ ...device, lastSeenAt: at(lastSeenAt) }, at5, waits, at5)?.context.lastConnected;
    expect([lastConnected(5), lastConnected(12)]).toEqual([at(10), at(10)]);
  });

  test('did not hold at the instant of the loss or later only if the camera was lost after it', () => {
    expect([9.999, 10, 11].map((seconds) => lost.heldNotAt?.(device, at(seconds), waits))).toEqual([
      true,
      false,
      false,
    ]);
    const patience = { silenceSeconds: 420, lossSeconds: 300, periodSeconds: 60 };
    const silent = deviceWith({ lastSeenAt: at(0), patience });
    const silentAt = 420 + 2 * minute;
    expect(
      [silentAt - 1, silentAt, silentAt + 1].map((seconds) => lost.heldNotAt?.(silent, at(seconds), waits)),
    ).toEqual([true, false, false]);
    const ignored = { ...silent, patience: { ...patience, silenceSeconds: null } };
    expect(lost.heldNotAt?.(ignored, at(silentAt + 1), waits)).toBe(true);
  });
});

describe('CONN_002', () => {
  const presenceOf = (...seconds: number[]): Device =>
    deviceWith({
      presence: {
        ...{ connectedAt: at(0), onlineReportedAt: at(0), firstEpoch: at(0), losses: [] },
        connects: connectsAt(0, ...seconds),
      },
    });

  test('ends when the oldest of more than three reconnects is an hour old', () => {
    expect(unstable.absentAt?.(presenceOf(60, 120, 180, 240, 300), waits)).toEqual([at(120 + 60 * minute)]);
    expect(unstable.absentAt?.(presenceOf(60, 120, 180), waits)).toEqual([null]);
  });

  test('counts the hour up to the newest reconnect or the horizon, but no later than now', () => {
    const counted = (now: number, horizon: number, ...reconnects: number[]) =>
      unstable.holds(presenceOf(...reconnects), at(now), waits, at(horizon))?.context['reconnectsLastHour'] ?? null;
    expect(counted(90 * minute, 0, 60, 120, 180, 240)).toBe(4);
    expect(counted(90 * minute, 60 + 60 * minute, 60, 120, 180, 240)).toBeNull();
    // A reconnect whose cloud time is ahead of ours does not move the hour past now.
    expect(counted(60 * minute, 0, 60, 120, 180, 90 * minute)).toBe(4);
  });
});

test('CONN_003 is worse at 1,000 and at 2,000 ms to the millisecond', () => {
  const marks = (value: number) => {
    const latency = { baseLevel: 'high', recent: [{ at: at(0), value }] };
    const device = deviceWith({ measures: { latency } as unknown as Device['measures'] });
    return slow.holds(device, at(1), waits, at(1))?.marks;
  };
  expect([999, 1000, 2000].map(marks)).toEqual([
    [],
    ['at 1000 ms or more'],
    ['at 1000 ms or more', 'at 2000 ms or more'],
  ]);
});
