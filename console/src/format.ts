import { useEffect, useState } from 'preact/hooks';
import type { Weekday } from '../../shared/schema/vocabulary.ts';
import { createStore, useStore } from './store.ts';

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
});
const minutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hour12: false });

/** Of today: the time of day. Of other days: date and time. Both in the viewer's time zone. */
export function shortTime(instant: string): string {
  const date = new Date(instant);
  return date.toDateString() === new Date().toDateString() ? clock.format(date) : dayAndClock.format(date);
}

/** The same without seconds, for sentences. */
export function minuteTime(instant: string): string {
  const date = new Date(instant);
  return (date.toDateString() === new Date().toDateString() ? minutes : dayAndClock).format(date);
}

export function fullTime(instant: string): string {
  return full.format(new Date(instant));
}

/** Local time in the form that a field for date and time needs. */
export function localTime(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const spans: [seconds: number, unit: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/**
 * A duration in the largest suitable unit; days and hours also get the next smaller unit: `2 d 3 h`, `14 min`, `40 s`.
 */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const at = spans.findIndex(([size]) => seconds >= size);
  const [size, unit] = spans[at] ?? [1, 's'];
  const next = spans[at + 1];
  const whole = Math.floor(seconds / size);
  const rest = next && size >= 3600 ? Math.floor((seconds % size) / next[0]) : 0;
  return rest > 0 && next ? `${whole} ${unit} ${rest} ${next[1]}` : `${whole} ${unit}`;
}

/** `3 min ago`, `in 2 h`; `now` under ten seconds. */
export function relative(instant: string, nowMs: number): string {
  const ms = nowMs - Date.parse(instant);
  if (Math.abs(ms) < 10_000) return 'now';
  return ms > 0 ? `${duration(ms).replace(/ \d+ \w+$/, '')} ago` : `in ${duration(-ms)}`;
}

const ticking = createStore(Date.now());
setInterval(() => ticking.set(Date.now()), 10_000);

/** The time in milliseconds, updated every ten seconds by one timer for all ages on the page. */
export function useNow(): number {
  return useStore(ticking);
}

/** A value that follows `value` after it has not changed for `ms`, for example during typing. */
export function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const rest = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(rest);
  }, [value, ms]);
  return rested;
}

const number = new Intl.NumberFormat();

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`;

export const dayNames: Record<Weekday, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};
