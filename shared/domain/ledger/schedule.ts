import type { ReportSchedule, ReportScheduleInput } from '../../schema/ledger/schedule.ts';
import { dateText, dayOfWeek, type LocalDate, localDateAt, startOfDay } from '../settings/local-time.ts';
import { type Instant, plus } from '../time.ts';

/** The time that one report is about, in the calendar of its schedule. */
export type ReportPeriod = {
  /** `2026-11`, or the Monday on which a week begins: the name that distinguishes a report from the others of its schedule. */
  name: string;
  from: Instant;
  to: Instant;
  /** When it is sent. */
  sendAt: Instant;
};

/** A report that is mailed, as it is stored. */
export type ReportScheduleRecord = Omit<ReportSchedule, 'enabled' | 'next' | 'last'> & {
  isPaused: boolean;
  period: ReportPeriod;
  /** The last period that was sent. */
  sent: (ReportPeriod & { sentAt: Instant }) | null;
  /** When the report of `period` is due, or is looked at again because the ledger has not recorded all of it. Null: it is paused. */
  dueAt: Instant | null;
  version: number;
};

type Rhythm = Pick<ReportSchedule, 'every' | 'timeZone'>;

/**
 * Each camera is recorded once a day at its own hour, so that the last of them is up to a day after a period. A person reads in the
 * morning.
 */
const sentOnDay = 1;
const sentAtHour = 6;
const hourMs = 60 * 60_000;
/** How long a report waits for a ledger that is behind. Then it is sent, and says how much is not recorded. */
export const longestWaitMs = 7 * 24 * hourMs;

/** The period of a rhythm in which an instant lies. */
export function periodAt(at: Instant, { every, timeZone }: Rhythm): ReportPeriod {
  const today = localDateAt(at, timeZone);
  const begin = every === 'month' ? { ...today, day: 1 } : { ...today, day: today.day - dayOfWeek(today) };
  const end = every === 'month' ? { ...begin, month: begin.month + 1 } : { ...begin, day: begin.day + 7 };
  const dayOfSending: LocalDate = { ...end, day: end.day + sentOnDay };
  const text = dateText(begin);
  return {
    name: every === 'month' ? text.slice(0, 7) : text,
    from: startOfDay(begin, timeZone),
    to: startOfDay(end, timeZone),
    sendAt: plus(startOfDay(dayOfSending, timeZone), sentAtHour * hourMs),
  };
}

/** The schedule after a person has written it. Its next report is about the present period, unless that report was sent. */
export function writtenSchedule(
  { by = 'device', groups, enabled = true, ...input }: ReportScheduleInput,
  kept: Pick<ReportScheduleRecord, 'scheduleId' | 'limitedTo' | 'createdBy' | 'createdAt' | 'sent' | 'version'>,
  now: Instant,
  before: ReportScheduleRecord | null,
): ReportScheduleRecord {
  // A report that was due before the change is still sent. One that came due during a pause is not.
  const isUnsent = before !== null && (!before.isPaused || now < before.period.sendAt);
  const isSame = isUnsent && before.every === input.every && before.timeZone === input.timeZone;
  const period = isSame ? before.period : unsentAt(now, input, kept.sent);
  const isPaused = !enabled;
  const dueAt = isPaused ? null : ((isSame ? before.dueAt : null) ?? period.sendAt);
  return { ...input, by, groups: groups ?? null, ...kept, changedAt: now, isPaused, period, dueAt };
}

/** After a change of its zone, the present period may be one that was sent already. */
function unsentAt(now: Instant, rhythm: Rhythm, sent: ReportScheduleRecord['sent']): ReportPeriod {
  const period = periodAt(now, rhythm);
  const isSent = sent !== null && sent.name.length === period.name.length && sent.name >= period.name;
  return isSent ? periodAt(period.to, rhythm) : period;
}

/** The schedule after the report of its period has been sent. */
export function sentSchedule(schedule: ReportScheduleRecord, now: Instant): ReportScheduleRecord {
  const period = periodAt(schedule.period.to, schedule);
  const sent = { ...schedule.period, sentAt: now };
  return { ...schedule, sent, period, dueAt: period.sendAt, version: schedule.version + 1 };
}

/** The schedule without some of its recipients. It is paused where none is left. */
export function withRecipients(schedule: ReportScheduleRecord, emails: string[], now: Instant): ReportScheduleRecord {
  const paused = emails.length === 0 ? { isPaused: true, dueAt: null } : {};
  return { ...schedule, emails, ...paused, changedAt: now, version: schedule.version + 1 };
}

export function toWireSchedule(schedule: ReportScheduleRecord): ReportSchedule {
  const { isPaused, period, sent, dueAt, version: _, ...shown } = schedule;
  const { from, to } = period;
  return {
    ...shown,
    enabled: !isPaused,
    next: dueAt === null ? null : { from, to, sendAt: dueAt },
    last: sent && { from: sent.from, to: sent.to, sentAt: sent.sentAt },
  };
}
