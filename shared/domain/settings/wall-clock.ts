import type { Instant } from '../time.ts';

/** Local time of a zone, as the milliseconds that it would be in UTC, so that days and weeks can be added. */
export type WallTime = number;

const formatters = new Map<string, Intl.DateTimeFormat>();
const dayMs = 24 * 60 * 60_000;

/** @throws RangeError for a zone that does not exist */
export function wallTimeAt(at: Instant | number, timeZone: string): WallTime {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { ...fields, timeZone });
  formatters.set(timeZone, formatter);
  const parts = formatter.formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown + (((ms % 1000) + 1000) % 1000);
}

const fields = {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const;

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
