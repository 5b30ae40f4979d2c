import { type Weekday, weekdays } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';

/** Local time of a zone, as the milliseconds that it would be in UTC, so that days and weeks can be added. */
export type WallTime = number;
/** A day of the calendar of a zone. Months count from 1; a day beyond the end of a month is one of the next. */
export type LocalDate = { year: number; month: number; day: number };
export type LocalTime = { weekday: Weekday; minuteOfDay: number };

const dayMs = 24 * 60 * 60_000;

/** Formatters are expensive to create and hold no state. */
const formatters = new Map<string, Intl.DateTimeFormat>();

const forms = {
  numbers: {
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' },
  },
  clock: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  text: {
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** @throws RangeError for a zone that does not exist */
function formatterOf(form: keyof typeof forms, timeZone: string): Intl.DateTimeFormat {
  const key = `${form} ${timeZone}`;
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...forms[form], timeZone });
  formatters.set(key, formatter);
  return formatter;
}

/** @throws RangeError for a zone that does not exist */
export function wallTimeAt(at: Instant | number, timeZone: string): WallTime {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const parts = formatterOf('numbers', timeZone).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown + (((ms % 1000) + 1000) % 1000);
}

/**
 * The instant of a local time. If it occurs twice, the first one. If daylight saving skips it, it is shifted by the length of the gap (`compatible`
 * in Temporal; RFC 5545).
 */
export function instantAt(wall: WallTime, timeZone: string): Instant {
  const offsetAt = (ms: number) => wallTimeAt(ms, timeZone) - ms;
  // The offsets before and after a change.
  const [earlier, later] = [wall - offsetAt(wall - dayMs), wall - offsetAt(wall + dayMs)];
  const fits = [earlier, later].filter((ms) => wallTimeAt(ms, timeZone) === wall);
  return new Date(fits.length > 0 ? Math.min(...fits) : earlier).toISOString();
}

/** The day that it is in a zone. @throws RangeError for a zone that does not exist */
export function localDateAt(at: Instant, timeZone: string): LocalDate {
  const shown = new Date(wallTimeAt(at, timeZone));
  return { year: shown.getUTCFullYear(), month: shown.getUTCMonth() + 1, day: shown.getUTCDate() };
}

/** When a day begins in a zone: at midnight, or where daylight saving leaves that out, when its first hour begins. */
export function startOfDay(date: LocalDate, timeZone: string): Instant {
  const wanted = utcMs(date);
  const shiftAt = (ms: number) => wallTimeAt(ms, timeZone) - ms;
  // The clock may change on this day. At its beginning the offset is that of the day before or that of the day after.
  const begins = [wanted - dayMs, wanted + dayMs].map((ms) => wanted - shiftAt(ms));
  const inDay = begins.filter((ms) => Math.floor(wallTimeAt(ms, timeZone) / dayMs) * dayMs === wanted);
  // A zone that moves over the date line leaves out a day: it begins where the next one does.
  return new Date(inDay.length > 0 ? Math.min(...inDay) : Math.max(...begins)).toISOString();
}

/** A day in the form `2026-11-20`. */
export function dateText(date: LocalDate): string {
  return new Date(utcMs(date)).toISOString().slice(0, 10);
}

/** From 0, a Monday, to 6. */
export function dayOfWeek(date: LocalDate): number {
  return mondayFirst(utcMs(date));
}

/**
 * Local time in an IANA time zone, with daylight saving.
 * @throws RangeError for a zone that does not exist
 */
export function localTimeAt(at: Instant, timeZone: string): LocalTime {
  const wall = wallTimeAt(at, timeZone);
  const shown = new Date(wall);
  return {
    weekday: weekdays[mondayFirst(wall)] as Weekday,
    minuteOfDay: shown.getUTCHours() * 60 + shown.getUTCMinutes(),
  };
}

/** An instant as clock time in a zone, for a message that is read now: `11:01`, or `19 Nov 23:40` on another day. */
export function spellClock(at: Instant, now: Instant, timeZone: string): string {
  const [day, time] = dayAndTime(at, timeZone);
  const [today] = dayAndTime(now, timeZone);
  return day === today ? time : `${day} ${time}`;
}

function dayAndTime(at: Instant, timeZone: string): [day: string, time: string] {
  const parts = formatterOf('clock', timeZone).formatToParts(Date.parse(at));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  return [`${part('day')} ${part('month')}`, `${part('hour')}:${part('minute')}`];
}

/** An instant in a time zone as text, with the name of the zone: `20 Nov 2026, 11:00 CET`. */
export function spellTime(at: Instant, timeZone: string): string {
  return formatterOf('text', timeZone).format(Date.parse(at));
}

/** What is wrong with the name of a time zone. Null: the zone exists. */
export function timeZoneFault(zone: string): string | null {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return null;
  } catch {
    return 'is not a time zone of the IANA list';
  }
}

function utcMs({ year, month, day }: LocalDate): number {
  return Date.UTC(year, month - 1, day);
}

function mondayFirst(ms: number): number {
  return (new Date(ms).getUTCDay() + 6) % 7;
}
