import { describe, expect, test } from 'vitest';
import type { AlertOrder, Cause } from '../../../../shared/domain/alert/orders.ts';
import { reconcile } from '../../../../shared/domain/alert/reconcile.ts';
import { type Device, type EndedAlert, newDevice, type OpenAlert } from '../../../../shared/domain/device/device.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import type { AlertCode } from '../../../../shared/schema/vocabulary.ts';
import { at, minute } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const now = at(3600);
const hand = 3600;
/** A camera with this memory usage in percent. */
function camera(memory: number | null, given: Partial<Device> = {}): Device {
  const stamp = { deviceAt: null, receivedAt: at(0), messageId: 'm', bootId: null, seq: null };
  const measures =
    memory === null ? {} : { memory: { baseLevel: 'normal' as const, recent: [{ ...stamp, value: memory }] } };
  return { ...newDevice('cam-1', at(0)), isOnline: true, lastSeenAt: at(0), measures, ...given };
}
const cause = (fresh: Cause['fresh'] = ['memory'], publishedAt: string | null = now): Cause => {
  return { id: 'c', fresh, ...(publishedAt === null ? {} : { publishedAt }) };
};
const code = 'RES_002' satisfies AlertCode;
const open = (given: Partial<OpenAlert> = {}): Partial<Device> => ({
  open: { [code]: { alertId: 'a-1', since: at(0), ...given } },
});
const ended = (given: Partial<EndedAlert> = {}): Partial<Device> => ({
  ended: { [code]: { alertId: 'a-1', endedAt: at(hand - 60), by: 'itself', reopenedAt: [], ...given } },
});
/** The decision without the informational alert RES_004. */
function judged(device: Device, of = cause()) {
  const { orders, ...step } = reconcile(device, of, now, waits);
  return { ...step, orders: orders.filter((order) => order.kind !== 'open' || order.seed.code !== 'RES_004') };
}
const kinds = ({ orders }: { orders: AlertOrder[] }) => orders.map(({ kind }) => kind);

describe('a condition that holds', () => {
  test('opens an alert, whose id follows from its cause', () => {
    const { device, orders } = judged(camera(85));
    const [order] = orders;
    if (order?.kind !== 'open') throw new Error('it opens');
    expect(order.seed).toMatchObject({
      deviceId: 'cam-1',
      code,
      message: 'Memory at 85 %, limit 80 %',
      notifyAfter: null,
    });
    expect(device.open).toEqual({ [code]: { alertId: order.seed.alertId, since: now } });
    expect(judged(camera(85)).orders).toEqual(orders);
    const other = reconcile(camera(85), { ...cause(), id: 'd' }, now, waits).orders[0];
    expect(other?.kind === 'open' && other.seed.alertId === order.seed.alertId).toBe(false);
  });

  test('opens it snoozed while a snooze of its code lasts', () => {
    const snoozed = (until: string) => {
      const [order] = judged(camera(85, { snoozed: { [code]: until } })).orders;
      return order?.kind === 'open' ? order.seed.snoozedUntil : null;
    };
    expect([snoozed(at(hand + 1)), snoozed(now)]).toEqual([at(hand + 1), undefined]);
  });

  test('and goes on is a sighting, where a report carries it', () => {
    const finding = { message: 'Memory at 85 %, limit 80 %', context: { memoryUsedPercent: 85, thresholdPercent: 80 } };
    expect(judged(camera(85, open())).orders).toEqual([{ kind: 'sight', alertId: 'a-1', finding }]);
    expect(judged(camera(85, open()), cause([])).orders).toEqual([]);
    expect(judged(camera(85, open())).device.open).toEqual(open().open);
  });

  test('and gets worse is seen, once for each step', () => {
    const graver = 'RES_001';
    const worse = (value: number, marks?: string[]) =>
      judged(camera(value, { open: { [graver]: { alertId: 'a-1', since: at(0), ...(marks ? { marks } : {}) } } }));
    expect(kinds(worse(94))).toEqual(['sight']);
    const first = worse(95);
    expect(first.orders).toMatchObject([
      { kind: 'see', alertId: 'a-1', isWorse: true, why: 'It got worse: at 95 % or more' },
    ]);
    expect(first.device.open[graver]?.marks).toEqual(['at 95 % or more']);
    expect(kinds(worse(96, ['at 95 % or more']))).toEqual(['sight']);
    const unseen = { open: { [graver]: { alertId: 'a-1', since: at(0) } } };
    expect(judged(camera(96, unseen), cause([])).device.open).toEqual(unseen.open);
    const both = worse(99);
    expect(both.orders).toMatchObject([{ why: 'It got worse: at 95 % or more, at 99 % or more' }]);
  });
});

describe('a condition that ends', () => {
  test('ends its alert', () => {
    const { device, orders } = judged(camera(50, open()));
    expect(orders).toEqual([{ kind: 'end', alertId: 'a-1', resolution: 'automatic', why: 'The condition ended' }]);
    expect([device.open, device.ended]).toEqual([
      {},
      { [code]: { alertId: 'a-1', endedAt: now, by: 'itself', reopenedAt: [] } },
    ]);
  });

  test('leaves how grave it was', () => {
    const marks = ['at 95 % or more'];
    const { device } = judged(camera(50, { open: { RES_001: { alertId: 'a-1', since: at(0), marks } } }));
    expect(device.ended.RES_001).toEqual({ alertId: 'a-1', endedAt: now, by: 'itself', reopenedAt: [], marks });
  });

  test('that only a person ends stays open', () => {
    const hijack = { open: { SEC_002: { alertId: 'a-2', since: at(0) } } };
    const { device, orders } = judged(camera(50, hijack), cause(['attempt']));
    expect([orders, device.open]).toEqual([[], hijack.open]);
  });

  test('gives way to a graver one, however it stands', () => {
    const { orders } = judged(camera(95, open({ reopened: 'waits', flapping: { quietSince: null } })));
    expect(orders).toMatchObject([
      { kind: 'open' },
      { kind: 'end', alertId: 'a-1', resolution: 'superseded', why: 'A graver alert took its place' },
    ]);
  });

  test('of an alert that a person reopened ends it only after it began anew', () => {
    const waits1 = judged(camera(50, open({ reopened: 'waits' })));
    expect([waits1.orders, waits1.device.open[code]?.reopened]).toEqual([[], 'ended']);
    const still = judged(waits1.device);
    expect([still.orders, still.device.open[code]?.reopened]).toEqual([[], 'ended']);
    const anew = judged(camera(85, open({ reopened: 'ended' })));
    expect([kinds(anew), anew.device.open[code]?.reopened]).toEqual([['sight'], 'began-anew']);
    expect(kinds(judged(camera(50, open({ reopened: 'began-anew' }))))).toEqual(['end']);
  });

  test('of a flapping alert ends it after ten quiet minutes', () => {
    const quiet = judged(camera(50, open({ flapping: { quietSince: null } })));
    expect([quiet.orders, quiet.device.open[code]?.flapping, quiet.device.dueAt]).toEqual([
      [],
      { quietSince: now },
      at(hand + 10 * minute),
    ]);
    const since = (seconds: number) => judged(camera(50, open({ flapping: { quietSince: at(seconds) } })));
    expect(kinds(since(hand - 10 * minute + 1))).toEqual([]);
    expect(since(hand - 10 * minute).orders).toMatchObject([{ kind: 'end', why: 'The condition has settled' }]);
    const back = judged(camera(85, open({ flapping: { quietSince: at(hand - 60) } })));
    expect(back.device.open[code]?.flapping).toEqual({ quietSince: null });
  });
});

describe('a condition that is back', () => {
  test('within ten minutes reopens its alert, later opens another', () => {
    const back = (seconds: number) => kinds(judged(camera(85, ended({ endedAt: at(hand - seconds) }))));
    expect([back(10 * minute), back(10 * minute + 1)]).toEqual([['return'], ['open']]);
    const { device, orders } = judged(camera(85, ended()));
    expect(orders).toMatchObject([{ kind: 'return', alertId: 'a-1', flapping: false, notifyAfter: null }]);
    expect([device.open[code], device.ended[code]?.reopenedAt]).toEqual([{ alertId: 'a-1', since: now }, [now]]);
  });

  test('for the third time within an hour flaps', () => {
    const times = (...seconds: number[]) =>
      judged(camera(85, ended({ reopenedAt: seconds.map((each) => at(hand - each)) })));
    const flaps = ({ orders }: ReturnType<typeof judged>) =>
      orders.some((order) => order.kind === 'return' && order.flapping);
    expect([times(60), times(3599, 60), times(3600, 60)].map(flaps)).toEqual([false, true, false]);
    const flapping = times(3599, 60).device;
    expect(flapping.open[code]?.flapping).toEqual({ quietSince: null });
    expect(flapping.ended[code]?.reopenedAt).toEqual([at(1), at(hand - 60), now]);
    expect(times(3600, 60).device.ended[code]?.reopenedAt).toEqual([at(hand - 60), now]);
  });

  test('keeps how often it returned when it ends, until it has flapped', () => {
    const returned = { ...open(), ...ended({ reopenedAt: [at(5)] }) };
    expect(judged(camera(50, returned)).device.ended[code]?.reopenedAt).toEqual([at(5)]);
    const other = { ...open({ alertId: 'a-2' }), ...ended({ reopenedAt: [at(5)] }) };
    expect(judged(camera(50, other)).device.ended[code]?.reopenedAt).toEqual([]);
    const flapped = { ...open({ flapping: { quietSince: at(0) } }), ...ended({ reopenedAt: [at(5)] }) };
    expect(judged(camera(50, flapped)).device.ended[code]?.reopenedAt).toEqual([]);
  });
});

describe('what a person resolved', () => {
  const byHand = (given: Partial<EndedAlert> = {}) => ended({ by: 'hand', ...given });
  test('while it held is not raised by time, nor for an hour by a sighting', () => {
    const seen = (secondsAfter: number, of = cause()) =>
      kinds(judged(camera(85, byHand({ endedAt: at(hand - secondsAfter) })), of));
    expect([seen(2 * hand, cause([])), seen(2 * hand, cause(['memory'], null))]).toEqual([[], []]);
    expect([seen(3599), seen(3600), seen(0)]).toEqual([[], ['open'], []]);
    expect(seen(2 * hand, cause(['storage']))).toEqual([]);
    // A report from before the resolution does not raise it again.
    expect(seen(60, cause(['memory'], at(hand - 60)))).toEqual([]);
  });

  test('is raised at once after its condition had ended', () => {
    const lifted = judged(camera(50, byHand())).device;
    expect(lifted.ended).toEqual({});
    expect(kinds(judged(camera(85, { ended: lifted.ended })))).toEqual(['open']);
  });

  test('is reopened where it got worse', () => {
    const graver = 'RES_001';
    const last: EndedAlert = {
      alertId: 'a-1',
      endedAt: at(hand - 60),
      by: 'hand',
      reopenedAt: [],
      marks: ['at 95 % or more'],
    };
    const seen = (value: number) => judged(camera(value, { ended: { [graver]: last } }));
    expect(kinds(seen(96))).toEqual([]);
    const { device, orders } = seen(99);
    expect(orders).toMatchObject([
      { kind: 'see', alertId: 'a-1', isWorse: true, why: 'It got worse: at 99 % or more' },
    ]);
    expect([device.open[graver], device.ended]).toEqual([
      { alertId: 'a-1', since: now, marks: ['at 95 % or more', 'at 99 % or more'] },
      {},
    ]);
  });

  test('stays muted while a graver one holds in its place', () => {
    expect(judged(camera(95, byHand())).device.ended[code]).toEqual(byHand().ended?.[code]);
  });
});
