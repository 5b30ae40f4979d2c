import { dateText, type LocalDate, localDateAt, startOfDay } from '../settings/local-time.ts';
import type { Instant } from '../time.ts';

/** A part of a period, and the day of the calendar on which it begins. */
export type DaySpan = { from: Instant; to: Instant; day: string };

/** The calendar months in a period, in a time zone. The first and the last may be partial. */
export function monthsOf(from: Instant, to: Instant, timeZone: string): DaySpan[] {
  return spansOf(from, to, timeZone, ({ year, month }) => ({ year, month: month + 1, day: 1 }));
}

/** The calendar days in a period, in a time zone. */
export function daysOf(from: Instant, to: Instant, timeZone: string): DaySpan[] {
  return spansOf(from, to, timeZone, ({ year, month, day }) => ({ year, month, day: day + 1 }));
}

function spansOf(from: Instant, to: Instant, timeZone: string, nextAfter: (date: LocalDate) => LocalDate): DaySpan[] {
  const spans: DaySpan[] = [];
  for (let begin = from; begin < to; ) {
    const date = localDateAt(begin, timeZone);
    const next = startOfDay(nextAfter(date), timeZone);
    const end = next < to ? next : to;
    spans.push({ from: begin, to: end, day: dateText(date) });
    begin = end;
  }
  return spans;
}
