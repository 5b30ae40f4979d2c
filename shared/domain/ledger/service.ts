import { type Instant, later, plus } from '../time.ts';
import type { Interval, Recorded } from './intervals.ts';
import type { PlatformBlind } from './planned.ts';

/**
 * The record of the service itself from `from` on: when it could see cameras, and when it was blind.
 * @param horizon no report that was published before it is missing, so the service could see up to then
 * @param noticeMs the longest time until the beginning or end of a blindness is noticed
 * @returns null: nothing new is known
 */
export function serviceRecorded(
  from: Instant,
  horizon: Instant,
  blind: readonly PlatformBlind[],
  noticeMs: number,
): Recorded | null {
  if (horizon <= from) return null;
  const intervals = blind.map((span): Interval => {
    const { from: earliest, noticedAt, to, isOpen } = span;
    return {
      state: 'blind',
      cause: 'platform',
      begin: [earliest, noticedAt],
      end: [isOpen ? to : later(noticedAt, plus(to, -noticeMs)), to],
      isOpen,
      planned: [],
    };
  });
  const within = intervals.filter(({ begin, end }) => begin[0] < horizon && end[1] > from);
  return { from, to: horizon, intervals: within.toSorted((a, b) => (a.begin[0] < b.begin[0] ? -1 : 1)) };
}
