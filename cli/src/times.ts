/** When and where a person reads. `timeZone`: an IANA name; that of the machine if absent. */
export type Reading = { nowMs: number; timeZone?: string | undefined };

const instant = /(?<![\w-])\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z(?![\w-])/g;
const justNowMs = 10_000;
const mostWithMinutesMs = 10 * 3_600_000;
/** A space at which no line breaks. */
export const fixed = '\u00a0';
const spans: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const local = /^(?:(\d{4})-(\d\d)-(\d\d)[ T])?([01]\d|2[0-3]):([0-5]\d)$/;

/**
 * The instant that a person means, in UTC: as an instant, as local date and time, or as a time of day, which is the last or the next one.
 * Null: it is none.
 */
export function instantIn(text: string, which: 'last' | 'next', nowMs: number): string | null {
  if (zoned.test(text)) return Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString();
  const [found, year, month, day, hour, minute] = local.exec(text) ?? [];
  if (found === undefined) return null;
  const now = new Date(nowMs);
  const [clockHour, clockMinute] = [Number(hour), Number(minute)];
  if (day !== undefined) {
    const at = new Date(Number(year), Number(month) - 1, Number(day), clockHour, clockMinute);
    return at.getDate() === Number(day) && at.getMonth() === Number(month) - 1 ? at.toISOString() : null;
  }
  const onDay = (shift: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + shift, clockHour, clockMinute);
  const today = onDay(0);
  if (which === 'last') return (today > now ? onDay(-1) : today).toISOString();
  return (today < now ? onDay(1) : today).toISOString();
}

/** A text with each instant in it as a person reads it: `10:50 (12 min ago)`. */
export function withTimes(text: string, reading: Reading): string {
  return text.replaceAll(instant, (at) =>
    Number.isNaN(Date.parse(at)) ? at : `${clockTime(at, reading)}${fixed}(${distance(at, reading)})`,
  );
}

/** A text that is an instant as a clock shows it, `10:50`; any other text as it is. */
export function clockTimeIn(text: string, reading: Reading): string {
  const [found] = text.match(instant) ?? [];
  return found === text && !Number.isNaN(Date.parse(text)) ? clockTime(text, reading) : text;
}

/** `10:50` today, `24 Nov 10:50` on another day, with the year if it is not this one. */
function clockTime(at: string, { nowMs, timeZone }: Reading): string {
  const ms = Date.parse(at);
  const said = (of: number, form: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...form, timeZone }).format(of);
  const clock = said(ms, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = { day: 'numeric', month: 'short' } as const;
  const [isThisYear, isToday] = [{ year: 'numeric' } as const, { year: 'numeric', ...day } as const].map(
    (form) => said(ms, form) === said(nowMs, form),
  );
  if (isToday) return clock;
  return `${said(ms, isThisYear ? day : { ...day, year: 'numeric' })} ${clock}`;
}

/** `10:50:12`, for lines that appear as something happens. */
export function secondsTime({ nowMs, timeZone }: Reading): string {
  const form = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZone } as const;
  return new Intl.DateTimeFormat('en-GB', form).format(nowMs);
}

/** `12 min ago`, `in 3 h 10 min`, `now`. Never more than has passed or is left. */
function distance(at: string, { nowMs }: Reading): string {
  const ms = nowMs - Date.parse(at);
  if (Math.abs(ms) < justNowMs) return 'now';
  return ms > 0 ? `${duration(ms)}${fixed}ago` : `in${fixed}${duration(-ms)}`;
}

function duration(ms: number): string {
  const place = spans.findIndex(([size]) => ms >= size);
  const [size, unit] = spans[place] ?? [1000, 's'];
  const whole = `${Math.floor(ms / size)}${fixed}${unit}`;
  const [nextSize, nextUnit] = spans[place + 1] ?? [0, ''];
  const rest = unit === 'h' && ms < mostWithMinutesMs ? Math.floor((ms % size) / nextSize) : 0;
  return rest === 0 ? whole : `${whole}${fixed}${rest}${fixed}${nextUnit}`;
}
