import { holdOf, type WindowRecord } from '../maintenance/window.ts';
import type { Interval } from '../sight/intervals.ts';
import { type Instant, plus } from '../time.ts';

/** A period in which the platform was blind, including the time before it noticed. `isOpen`: it continues. */
export type PlatformBlind = { from: Instant; noticedAt: Instant; to: Instant; isOpen: boolean };

export type MaintenanceSubject = Omit<Parameters<typeof holdOf>[1], 'code'>;

/** The precision with which the start of a window is found, milliseconds. */
const stepMs = 60_000;

/** The intervals with their explanations: blindness of the platform, and planned maintenance. */
export function explained(
  intervals: readonly Interval[],
  subject: MaintenanceSubject,
  { windows, timeZone, blind }: { windows: readonly WindowRecord[]; timeZone: string; blind: readonly PlatformBlind[] },
  horizon: Instant,
): Interval[] {
  return intervals.map((interval) => {
    const { cause, begin, end } = interval;
    const isPlatform = cause === 'silent' && blind.some(({ from, to }) => from < end[1] && to > begin[0]);
    const until = end[1] < horizon ? end[1] : horizon;
    const planned = plannedParts(windows, subject, begin[0], until, timeZone);
    return { ...interval, cause: isPlatform ? 'platform' : cause, planned };
  });
}

function plannedParts(
  windows: readonly WindowRecord[],
  subject: MaintenanceSubject,
  from: Instant,
  to: Instant,
  timeZone: string,
): [Instant, Instant][] {
  const parts: [Instant, Instant][] = [];
  if (windows.length === 0) return parts;
  for (let at = from; at < to; ) {
    const hold = holdOf(windows, { ...subject, code: 'CONN_001' }, at, timeZone);
    const until = hold ? (hold.until < to ? hold.until : to) : plus(at, stepMs);
    if (hold) parts.push([at, until]);
    at = until > at ? until : plus(at, stepMs);
  }
  return parts;
}
