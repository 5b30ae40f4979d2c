import type { Interval, RecordedSpan } from '../sight/intervals.ts';
import { earlier, type Instant, later, plus } from '../time.ts';
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
): RecordedSpan | null {
  if (horizon <= from) return null;
  const spans = blind.toSorted((a, b) => (a.noticedAt < b.noticedAt ? -1 : 1));
  const intervals: Interval[] = [];
  for (const { from: earliest, noticedAt, to, isOpen } of spans) {
    // One blindness ended before the next one began, however long before its notice that may have been.
    const begin = later(earliest, intervals.at(-1)?.end[1] ?? earliest);
    if (begin >= to) continue;
    intervals.push({
      state: 'blind',
      cause: 'platform',
      begin: [begin, later(begin, noticedAt)],
      end: [isOpen ? to : later(later(begin, earlier(noticedAt, to)), plus(to, -noticeMs)), to],
      isOpen,
      planned: [],
    });
  }
  return { from, to: horizon, intervals: intervals.filter(({ begin, end }) => begin[0] < horizon && end[1] > from) };
}
