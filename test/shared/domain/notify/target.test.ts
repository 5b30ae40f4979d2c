import { describe, expect, test } from 'vitest';
import type { Left } from '../../../../shared/domain/delivery/delivery.ts';
import { budget, waitsAt } from '../../../../shared/domain/limits.ts';
import {
  closeWindow,
  freeSlot,
  isSpent,
  newTarget,
  type SlotRequest,
  slotFreeAt,
  type TargetRecord,
  targetIdOf,
  type WindowCounts,
  withSlotTaken,
} from '../../../../shared/domain/notify/target.ts';
import { contactsOf, emptyTeam } from '../../../../shared/domain/notify/team.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** The time `ms` milliseconds after the start. */
const at = (ms: number) => plus(startOfTests, ms);
const asking = (given: Partial<SlotRequest> = {}): SlotRequest => ({
  channel: 'sms',
  use: 'direct',
  isUrgent: false,
  deviceId: 'cam-1',
  ...given,
});
const target = (given: Partial<TargetRecord> = {}): TargetRecord => {
  const channel = given.channel ?? 'sms';
  const contact = { kind: 'sms', team: 'night', address: '+46701234567' } as const;
  const delivery = { channel, target: contact, targetName: 'Anna' } as Parameters<typeof newTarget>[0];
  const slot = { targetId: 't-1', form: 'one' } as unknown as Parameters<typeof newTarget>[1];
  return { ...newTarget(delivery, slot), ...given };
};
const slotAt = (record: TargetRecord | null, ms: number, given: Partial<SlotRequest> = {}) =>
  freeSlot(record, asking(given), at(ms), waits);
const nothing = { left: null, deviceId: null };
const each = (count: number, everyMs: number) => Array.from({ length: count }, (_, index) => at(index * everyMs));

describe('a slot', () => {
  test.each([
    ['direct', false, 'direct'],
    ['digest', false, 'digest'],
    ['held', false, 'held'],
    ['direct', true, 'urgent'],
  ] as const)('%s (urgent: %s) is free for a target that nothing has left for', (use, isUrgent, slot) => {
    expect(slotAt(null, 0, { use, isUrgent })).toBe(slot);
    expect(slotAt(target(), 0, { use, isUrgent })).toBe(slot);
  });

  test('there are three direct messages in a minute, and the fourth waits for the whole minute of the first', () => {
    const full = target({ directAt: [at(0), at(10 * second), at(20 * second)] });
    expect(slotAt(target({ directAt: [at(0), at(10 * second)] }), 20 * second)).toBe('direct');
    expect(slotAt(full, minute - 1)).toBeNull();
    expect(slotAt(full, minute)).toBe('direct');
    expect(slotFreeAt(full, asking(), at(30 * second), waits)).toBe(at(minute));
    expect(slotFreeAt(target({ directAt: [at(0)] }), asking(), at(second), waits)).toBe(at(second));
  });

  test('there is one digest in a minute, beside the direct ones', () => {
    const notified = target({ digestAt: at(0), directAt: [at(0), at(1), at(2)] });
    expect(slotAt(notified, minute - 1, { use: 'digest' })).toBeNull();
    expect(slotAt(notified, minute, { use: 'digest' })).toBe('digest');
    expect(slotFreeAt(notified, asking({ use: 'digest' }), at(second), waits)).toBe(at(minute));
    expect(slotAt(target({ directAt: [at(0), at(1), at(2)] }), 3, { use: 'digest' })).toBe('digest');
  });

  test('a phone has twenty messages in an hour, digests among them; a mail address has no such bound', () => {
    const smsAt = each(budget.smsInHour, minute);
    const phone = target({ smsAt });
    for (const use of ['direct', 'digest'] as const) {
      expect(slotAt(phone, hour - 1, { use })).toBeNull();
      expect(slotAt(phone, hour, { use })).toBe(use);
      expect(slotFreeAt(phone, asking({ use }), at(30 * minute), waits)).toBe(at(hour));
    }
    expect(slotAt(target({ smsAt: smsAt.slice(1) }), 20 * minute)).toBe('direct');
    expect(isSpent(phone, { channel: 'email' }, at(30 * minute), waits)).toBe(false);
    expect(slotAt(phone, 30 * minute, { use: 'held' })).toBe('held');
  });

  test('an urgent message goes beside the budget, six in an hour, one in a minute, one in an hour for a camera', () => {
    const phone = target({ smsAt: each(budget.smsInHour, second), directAt: [at(0), at(1), at(2)] });
    expect(slotAt(phone, minute, { isUrgent: true })).toBe('urgent');
    const once = { ...phone, urgentAt: [at(0)], urgentDevices: [{ deviceId: 'cam-1', at: at(0) }] };
    expect(slotAt(once, minute - 1, { isUrgent: true, deviceId: 'cam-2' })).toBeNull();
    expect(slotAt(once, minute, { isUrgent: true, deviceId: 'cam-2' })).toBe('urgent');
    expect(slotAt(once, hour - 1, { isUrgent: true })).toBeNull();
    expect(slotAt(once, hour, { isUrgent: true })).toBe('urgent');
    const often = { ...phone, urgentAt: each(budget.urgentInHour, minute) };
    expect(slotAt(often, hour - 1, { isUrgent: true })).toBeNull();
    expect(slotAt(often, hour, { isUrgent: true })).toBe('urgent');
    // If no urgent slot is free, an urgent message takes a usual one.
    expect(slotAt(target({ urgentAt: [at(0)] }), second, { isUrgent: true })).toBe('direct');
  });
});

describe('what has left is noted', () => {
  test.each([
    ['direct', { directAt: [at(5)], smsAt: [at(5)] }],
    ['digest', { digestAt: at(5), smsAt: [at(5)] }],
    ['held', { heldAt: at(5) }],
    ['urgent', { urgentAt: [at(5)], urgentDevices: [{ deviceId: 'cam-1', at: at(5) }] }],
  ] as const)('by a %s slot', (slot, noted) => {
    const before = target({ isQuiet: true });
    const after = withSlotTaken(before, slot, { left: null, deviceId: 'cam-1' }, at(5), waits);
    expect(after).toEqual({ ...before, ...noted, isQuiet: false, dueAt: at(minute + 5), version: 1 });
  });

  test('a mail costs no SMS, an urgent message without a camera names none, and a window keeps its end', () => {
    const mail = withSlotTaken(target({ channel: 'email' }), 'direct', nothing, at(0), waits);
    expect(mail.smsAt).toEqual([]);
    const urgent = withSlotTaken(target({ dueAt: at(7) }), 'urgent', nothing, at(0), waits);
    expect([urgent.urgentDevices, urgent.smsAt, urgent.dueAt]).toEqual([[], [], at(7)]);
  });

  test('no list grows beyond what its budget needs', () => {
    let record = target();
    const left = { alertId: 'a' } as unknown as Left;
    for (let index = 0; index < 100; index += 1) {
      for (const slot of ['direct', 'urgent'] as const) {
        record = withSlotTaken(record, slot, { left, deviceId: `cam-${index}` }, at(index * minute), waits);
      }
    }
    const { directAt, smsAt, urgentAt, urgentDevices, left: kept } = record;
    const lengths = [directAt, smsAt, urgentAt, urgentDevices, kept].map(({ length }) => length);
    expect(lengths).toEqual([3, 20, 6, 6, 60]);
    expect(directAt).toEqual([at(97 * minute), at(98 * minute), at(99 * minute)]);
    expect(record.version).toBe(200);
  });
});

describe('the end of a window', () => {
  const counts = (given: Partial<WindowCounts> = {}): WindowCounts => ({
    noted: 0,
    waiting: 0,
    went: 0,
    notedBefore: 0,
    ...given,
  });
  const close = (record: TargetRecord, given: Partial<WindowCounts>, ms = minute) =>
    closeWindow(record, counts(given), at(ms), waits);

  test('sends a digest of what waits, and opens the next window', () => {
    const { target: next, send } = close(target({ window: 4, went: 2 }), { noted: 5, waiting: 3, went: 2 });
    expect(send).toEqual({ kind: 'digest', late: 0, went: 2 });
    expect(next).toMatchObject({ window: 5, left: [], went: 0, previous: { window: 4, counted: 5 }, version: 1 });
    expect(next.dueAt).toBe(at(2 * minute));
  });

  test('sends none for what came and went, and remembers how many for the next digest', () => {
    const { target: next, send } = close(target({ went: 2 }), { noted: 3, waiting: 3, went: 3 });
    expect([send, next.went]).toEqual([null, 5]);
  });

  test('counts what was committed behind the count of the window before', () => {
    const before = target({ previous: { window: 1, counted: 3 } });
    expect(close(before, { notedBefore: 5 }).send).toEqual({ kind: 'digest', late: 2, went: 0 });
    expect(close(before, { notedBefore: 3 }).send).toBeNull();
    // An erased record must not make the number of late messages negative.
    expect(close(before, { notedBefore: 1, waiting: 1 }).send).toEqual({ kind: 'digest', late: 0, went: 0 });
  });

  test('a target with nothing to tell is looked at once more, and then rests', () => {
    const once = close(target(), {}).target;
    expect([once.isQuiet, once.dueAt]).toEqual([true, at(2 * minute)]);
    const twice = close(once, {}, 2 * minute).target;
    expect([twice.isQuiet, twice.dueAt]).toEqual([true, null]);
    const busy = close(target({ directAt: [at(0)], isQuiet: true }), {}, minute - 1).target;
    expect([busy.isQuiet, busy.dueAt]).toEqual([false, at(2 * minute - 1)]);
    const justLeft = close({ ...once, left: [{ alertId: 'a' } as unknown as Left] }, {}, 2 * minute).target;
    expect(justLeft.dueAt).toBe(at(3 * minute));
  });

  test('a phone whose hour is used up is notified of that once, and its window stays open until it may have more', () => {
    const phone = target({ window: 3, smsAt: each(budget.smsInHour, second) });
    const first = close(phone, { waiting: 7, went: 1 }, 30 * minute);
    expect(first.send).toEqual({ kind: 'held', count: 6 });
    expect(first.target).toMatchObject({ window: 3, heldAt: at(30 * minute), dueAt: at(hour), version: 1 });
    const again = close(first.target, { waiting: 9 }, 31 * minute);
    expect([again.send, again.target.heldAt]).toEqual([null, at(30 * minute)]);
    expect(close(first.target, { waiting: 9 }, hour).send).toMatchObject({ kind: 'digest' });
    // Even with nothing to send the target stays active, so that the next message finds its window.
    expect(close({ ...phone, isQuiet: true }, {}, 30 * minute).target).toMatchObject({ isQuiet: false, window: 4 });
  });
});

test('a target is known by its address, whatever it is called', () => {
  const [anna, bo] = contactsOf({ ...emptyTeam('night'), emails: ['anna@example.com', 'bo@example.com'] });
  if (!anna || !bo) throw new Error('a team of two addresses has two contacts');
  const renamed = { ...anna, name: 'Anna Berg' };
  expect(targetIdOf(anna)).toBe(targetIdOf(renamed));
  expect(targetIdOf(anna)).not.toBe(targetIdOf(bo));
});
