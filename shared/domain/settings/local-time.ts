import type { Weekday } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';

/** Local time. */
export type LocalTime = { weekday: Weekday; minuteOfDay: number };

/** Formatters are expensive to create and hold no state. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const spellers = new Map<string, Intl.DateTimeFormat>();
const clocks = new Map<string, Intl.DateTimeFormat>();

/** An instant as clock time in a zone, for a message that is read now: `11:01`, or `19 Nov 23:40` on another day. */
export function spellClock(at: Instant, now: Instant, timeZone: string): string {
  const [day, time] = dayAndTime(at, timeZone);
  const [today] = dayAndTime(now, timeZone);
  return day === today ? time : `${day} ${time}`;
}

function dayAndTime(at: Instant, timeZone: string): [day: string, time: string] {
  const speller = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...clock, timeZone });
  clocks.set(timeZone, speller);
  const parts = speller.formatToParts(Date.parse(at));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  return [`${part('day')} ${part('month')}`, `${part('hour')}:${part('minute')}`];
}

const clock = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** An instant in a time zone as text, with the name of the zone: `20 Nov 2026, 11:00 CET`. */
export function spellTime(at: Instant, timeZone: string): string {
  const speller = spellers.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...spelt, timeZone });
  spellers.set(timeZone, speller);
  return speller.format(Date.parse(at));
}

const spelt = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/**
 * Local time in an IANA time zone, with daylight saving.
 * @throws RangeError for a zone that does not exist
 */
export function localTimeAt(at: Instant, timeZone: string): LocalTime {
  const parts = formatterOf(timeZone).formatToParts(Date.parse(at));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((each) => each.type === type)?.value ?? '';
  return {
    weekday: part('weekday').toLowerCase().slice(0, 3) as Weekday,
    minuteOfDay: Number(part('hour')) * 60 + Number(part('minute')),
  };
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formatters.set(timeZone, made);
  return made;
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
