import type { Instant } from '../time.ts';

/** A day of the calendar of a zone. Months count from 1; a day beyond the end of a month is one of the next. */
export type LocalDate = { year: number; month: number; day: number };

const dayMs = 24 * 60 * 60_000;
/** Formatters are expensive to create and hold no state. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The day that it is in a zone. @throws RangeError for a zone that does not exist */
export function localDateAt(at: Instant, timeZone: string): LocalDate {
  const shown = new Date(shownMs(Date.parse(at), timeZone));
  return { year: shown.getUTCFullYear(), month: shown.getUTCMonth() + 1, day: shown.getUTCDate() };
}

/** When a day begins in a zone: at midnight, or where daylight saving leaves that out, when its first hour begins. */
export function startOfDay(date: LocalDate, timeZone: string): Instant {
  const wanted = utcMs(date);
  const shiftAt = (ms: number) => shownMs(ms, timeZone) - ms;
  // The clock may change on this day. At its beginning the offset is that of the day before or that of the day after.
  const begins = [wanted - dayMs, wanted + dayMs].map((ms) => wanted - shiftAt(ms));
  const inDay = begins.filter((ms) => Math.floor(shownMs(ms, timeZone) / dayMs) * dayMs === wanted);
  // A zone that moves over the date line leaves out a day: it begins where the next one does.
  return new Date(inDay.length > 0 ? Math.min(...inDay) : Math.max(...begins)).toISOString();
}

/** A day in the form `2026-11-20`. */
export function dateText(date: LocalDate): string {
  return new Date(utcMs(date)).toISOString().slice(0, 10);
}

/** From 0, a Monday, to 6. */
export function dayOfWeek(date: LocalDate): number {
  return (new Date(utcMs(date)).getUTCDay() + 6) % 7;
}

function utcMs({ year, month, day }: LocalDate): number {
  return Date.UTC(year, month - 1, day);
}

/** What the clock of a zone shows, as if it were UTC. */
function shownMs(ms: number, timeZone: string): number {
  const parts = formatterOf(timeZone).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', { ...everything, timeZone });
  formatters.set(timeZone, made);
  return made;
}

const everything = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const;
