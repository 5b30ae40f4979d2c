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
  withUntold,
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
  groupId: 'north',
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
const nothing = { left: null, deviceId: null, groupId: null };
const usual = budget.smsInHour - budget.smsKept;
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

  test('a phone has twelve messages in an hour that are not urgent, digests among them; a mail address has no such bound', () => {
    const smsAt = each(usual, minute);
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
    const phone = target({ smsAt: each(usual, second), directAt: [at(0), at(1), at(2)] });
    expect(slotAt(phone, minute, { isUrgent: true })).toBe('urgent');
    const once = { ...phone, urgentAt: [at(0)], urgentDevices: [{ deviceId: 'cam-1', groupId: 'north', at: at(0) }] };
    expect(slotAt(once, minute - 1, { isUrgent: true, deviceId: 'cam-2' })).toBeNull();
    expect(slotAt(once, minute, { isUrgent: true, deviceId: 'cam-2' })).toBe('urgent');
    expect(slotAt(once, hour - 1, { isUrgent: true })).toBeNull();
    expect(slotAt(once, hour, { isUrgent: true })).toBe('urgent');
    const often = { ...phone, urgentAt: each(budget.urgentInHour, minute) };
    expect(slotAt(often, hour - 1, { isUrgent: true })).toBe('kept');
    expect(slotAt(often, hour, { isUrgent: true })).toBe('urgent');
    // If no urgent slot is free, an urgent message takes a usual one.
    expect(slotAt(target({ urgentAt: [at(0)] }), second, { isUrgent: true })).toBe('direct');
  });
});

describe('what is urgent on a phone', () => {
  const spent = target({ smsAt: each(usual, second), urgentAt: each(budget.urgentInHour, 2 * minute) });
  const urgent = { isUrgent: true, deviceId: null };

  test('uses the places that are kept for it when its own slots are used up, and nothing else does', () => {
    expect(slotAt(spent, 30 * minute, urgent)).toBe('kept');
    expect(slotAt(spent, 30 * minute)).toBeNull();
    const full = { ...spent, keptAt: each(budget.smsKept, minute) };
    expect(slotAt(full, 30 * minute, urgent)).toBeNull();
    expect(slotAt(full, hour, urgent)).toBe('urgent');
  });

  test('uses at most three of its own slots for the security of one group', () => {
    const devices = [1, 2, 3].map((n) => ({ deviceId: `cam-${n}`, groupId: 'north', at: at(n * minute) }));
    const often = target({
      smsAt: each(usual, second),
      urgentAt: devices.map((one) => one.at),
      urgentDevices: devices,
    });
    expect(slotAt(often, 10 * minute, { isUrgent: true, deviceId: 'cam-4' })).toBe('kept');
    expect(slotAt(often, 10 * minute, { isUrgent: true, deviceId: 'cam-4', groupId: 'south' })).toBe('urgent');
    expect(slotAt(often, 10 * minute, urgent)).toBe('urgent');
  });

  test('is summed up each five minutes while it is held back, with all that is held', () => {
    const full = { ...spent, keptAt: each(budget.smsKept, minute) };
    const untold = withUntold(full, at(10 * minute), waits);
    expect([untold.untoldAt, untold.dueAt]).toEqual([at(10 * minute), at(11 * minute)]);
    const counts = { noted: 4, waiting: 4, went: 0, notedBefore: 0 };
    const closed = closeWindow(untold, counts, at(11 * minute), waits);
    expect(closed.send).toMatchObject({ kind: 'digest', isUrgent: true });
    expect(closed.target.untoldAt).toBeNull();
    expect(slotAt(closed.target, 11 * minute, { use: 'digest', isUrgent: true })).toBe('sum');
    const told = withSlotTaken(closed.target, 'sum', nothing, at(11 * minute), waits);
    expect([told.sumAt, told.smsAt]).toEqual([at(11 * minute), full.smsAt]);
    const again = withUntold({ ...told, dueAt: null }, at(12 * minute), waits);
    expect(again.dueAt).toBe(at(16 * minute));
    expect(slotAt(again, 15 * minute, { use: 'digest', isUrgent: true })).toBeNull();
    expect(closeWindow(again, counts, at(15 * minute), waits).send).not.toMatchObject({ kind: 'digest' });
    expect(closeWindow(again, counts, at(16 * minute), waits).send).toMatchObject({ kind: 'digest', isUrgent: true });
  });
});

test('from the tenth SMS in an hour on, ends and escalations of single cameras wait for the digest', () => {
  const phone = target({ smsAt: each(budget.smsBusy, minute) });
  expect(slotAt(phone, 20 * minute, { isMinor: true })).toBeNull();
  expect(slotAt(phone, 20 * minute)).toBe('direct');
  expect(slotAt({ ...phone, channel: 'email' }, 20 * minute, { isMinor: true, channel: 'email' })).toBe('direct');
  expect(slotAt(target({ smsAt: each(budget.smsBusy - 1, minute) }), 20 * minute, { isMinor: true })).toBe('direct');
});

describe('what has left is noted', () => {
  test.each([
    ['direct', { directAt: [at(5)], smsAt: [at(5)] }],
    ['digest', { digestAt: at(5), smsAt: [at(5)] }],
    ['held', { heldAt: at(5) }],
    ['urgent', { urgentAt: [at(5)], urgentDevices: [{ deviceId: 'cam-1', groupId: 'north', at: at(5) }] }],
  ] as const)('by a %s slot', (slot, noted) => {
    const before = target({ isQuiet: true });
    const after = withSlotTaken(before, slot, { left: null, deviceId: 'cam-1', groupId: 'north' }, at(5), waits);
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
      for (const slot of ['direct', 'urgent', 'kept'] as const) {
        record = withSlotTaken(
          record,
          slot,
          { left, deviceId: `cam-${index}`, groupId: 'north' },
          at(index * minute),
          waits,
        );
      }
    }
    const { directAt, smsAt, urgentAt, urgentDevices, keptAt, left: kept } = record;
    const lengths = [directAt, smsAt, urgentAt, urgentDevices, keptAt, kept].map(({ length }) => length);
    expect(lengths).toEqual([3, 12, 6, 6, 8, 60]);
    expect(record.version).toBe(300);
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
    expect(send).toEqual({ kind: 'digest', late: 0, went: 2, isUrgent: false });
    expect(next).toMatchObject({ window: 5, left: [], went: 0, previous: { window: 4, counted: 5 }, version: 1 });
    expect(next.dueAt).toBe(at(2 * minute));
  });

  test('sends none for what came and went, and remembers how many for the next digest', () => {
    const { target: next, send } = close(target({ went: 2 }), { noted: 3, waiting: 3, went: 3 });
    expect([send, next.went]).toEqual([null, 5]);
  });

  test('counts what was committed behind the count of the window before', () => {
    const before = target({ previous: { window: 1, counted: 3 } });
    expect(close(before, { notedBefore: 5 }).send).toEqual({ kind: 'digest', late: 2, went: 0, isUrgent: false });
    expect(close(before, { notedBefore: 3 }).send).toBeNull();
    // An erased record must not make the number of late messages negative.
    expect(close(before, { notedBefore: 1, waiting: 1 }).send).toEqual({
      kind: 'digest',
      late: 0,
      went: 0,
      isUrgent: false,
    });
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
    const phone = target({ window: 3, smsAt: each(usual, second) });
    const first = close(phone, { waiting: 7, went: 1 }, 30 * minute);
    expect(first.send).toEqual({ kind: 'held', count: 6, sent: phone.smsAt, nextAt: at(hour) });
    const lookAt = at(35 * minute);
    expect(first.target).toMatchObject({ window: 3, heldAt: at(30 * minute), heldCount: 6, dueAt: lookAt, version: 1 });
    const again = close(first.target, { waiting: 9 }, 31 * minute);
    expect([again.send, again.target.heldAt]).toEqual([null, at(30 * minute)]);
    const more = close(first.target, { waiting: 30 }, 31 * minute);
    expect([more.send, more.target.heldCount]).toMatchObject([{ kind: 'held', count: 30 }, 30]);
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
