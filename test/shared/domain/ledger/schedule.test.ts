import { expect, test } from 'vitest';
import {
  periodAt,
  type ReportScheduleRecord,
  sentSchedule,
  toWireSchedule,
  withRecipients,
  writtenSchedule,
} from '../../../../shared/domain/ledger/schedule.ts';
import type { ReportScheduleInput } from '../../../../shared/schema/ledger/schedule.ts';

const at = '2026-11-20T10:00:00.000Z';
const input: ReportScheduleInput = {
  name: 'Harbour',
  every: 'month',
  timeZone: 'Europe/Stockholm',
  emails: ['a@example.com', 'b@example.com'],
};
const kept = { scheduleId: 's', limitedTo: null, createdBy: 'user:ana', createdAt: at, sent: null, version: 1 };
const made = (more: Partial<ReportScheduleInput> = {}) => writtenSchedule({ ...input, ...more }, kept, at, null);
const changed = (before: ReportScheduleRecord, more: Partial<ReportScheduleInput>, now = at) =>
  writtenSchedule({ ...input, ...more }, { ...kept, sent: before.sent, version: before.version + 1 }, now, before);

test('a month and a week are those of the zone, and are sent in the morning of the second day after', () => {
  expect(periodAt(at, input)).toEqual({
    name: '2026-11',
    from: '2026-10-31T23:00:00.000Z',
    to: '2026-11-30T23:00:00.000Z',
    sendAt: '2026-12-02T05:00:00.000Z',
  });
  expect(periodAt(at, { every: 'week', timeZone: 'Europe/Stockholm' })).toEqual({
    name: '2026-11-16',
    from: '2026-11-15T23:00:00.000Z',
    to: '2026-11-22T23:00:00.000Z',
    sendAt: '2026-11-24T05:00:00.000Z',
  });
});

test('periods follow each other without a gap, over daylight saving and the year', () => {
  for (const rhythm of [
    { every: 'week', timeZone: 'America/New_York' },
    { every: 'month', timeZone: 'Australia/Lord_Howe' },
  ] as const) {
    let period = periodAt('2026-01-01T00:00:00.000Z', rhythm);
    for (let count = 0; count < 120; count += 1) {
      const next = periodAt(period.to, rhythm);
      expect([next.from, next.name > period.name]).toEqual([period.to, true]);
      period = next;
    }
  }
});

test('what was sent is not sent again after a change of the zone', () => {
  // In Stockholm December has begun; in Honolulu it is still November, which was sent.
  const november = sentSchedule(made(), '2026-12-01T03:00:00.000Z');
  expect(november.period.name).toBe('2026-12');
  const moved = changed(november, { timeZone: 'Pacific/Honolulu' }, '2026-12-01T03:30:00.000Z');
  expect(moved.period).toMatchObject({ name: '2026-12', from: '2026-12-01T10:00:00.000Z' });
  // A weekly period has another name, so its report was not sent yet.
  expect(changed(november, { every: 'week' }, '2026-12-01T03:30:00.000Z').period.name).toBe('2026-11-30');
});

test('a report whose period is over is still sent while its schedule is changed, and not while it is paused', () => {
  const before = made();
  const over = '2026-12-01T12:00:00.000Z';
  expect(changed(before, { emails: ['c@example.com'] }, over)).toMatchObject({ dueAt: '2026-12-02T05:00:00.000Z' });
  const paused = changed(before, { enabled: false }, over);
  expect([paused.dueAt, toWireSchedule(paused).next]).toEqual([null, null]);
  expect(changed(paused, {}, over)).toMatchObject({ period: { name: '2026-11' }, dueAt: '2026-12-02T05:00:00.000Z' });
  expect(changed(paused, {}, '2026-12-03T00:00:00.000Z')).toMatchObject({
    period: { name: '2026-12' },
    dueAt: '2027-01-02T05:00:00.000Z',
  });
});

test('a report that waits for the ledger goes on waiting after a change', () => {
  const waiting = { ...made(), dueAt: '2026-12-02T06:00:00.000Z' };
  expect(changed(waiting, { name: 'Port' }, '2026-12-02T05:30:00.000Z').dueAt).toBe('2026-12-02T06:00:00.000Z');
});

test('without anybody to send it to a schedule is paused', () => {
  expect(withRecipients(made(), ['a@example.com'], at)).toMatchObject({ isPaused: false, version: 2 });
  expect(toWireSchedule(withRecipients(made(), [], at))).toMatchObject({ enabled: false, next: null, emails: [] });
});
