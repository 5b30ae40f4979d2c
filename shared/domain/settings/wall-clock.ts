import type { Instant } from '../time.ts';

/** What the clock on the wall of a zone shows, as the milliseconds that it would be in UTC: it can be counted in days and weeks. */
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
 * When the clock on the wall shows a time: the first of two such instants; of a time that daylight saving leaves out, as long after the change
 * as it would have been (`compatible` in the terms of Temporal and RFC 5545).
 */
export function instantAt(wall: WallTime, timeZone: string): Instant {
  const offsetAt = (ms: number) => wallTimeAt(ms, timeZone) - ms;
  // Before a change and after it.
  const [earlier, later] = [wall - offsetAt(wall - dayMs), wall - offsetAt(wall + dayMs)];
  const fits = [earlier, later].filter((ms) => wallTimeAt(ms, timeZone) === wall);
  return new Date(fits.length > 0 ? Math.min(...fits) : earlier).toISOString();
}
