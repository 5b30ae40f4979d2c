import type { LostTime } from '../restored/restored.ts';
import type { Interval } from '../sight/intervals.ts';
import { earlier, type Instant, later } from '../time.ts';

/** The intervals of an entry where a restore of the database lost a part of its time: in that part the platform was blind. */
export function blindIn(
  intervals: readonly Interval[],
  entry: { from: Instant; to: Instant },
  { asOf, at }: LostTime,
): Interval[] {
  const [from, to] = [later(asOf, entry.from), earlier(at, entry.to)];
  if (from >= to) return [...intervals];
  const blind: Interval = {
    state: 'blind',
    cause: 'platform',
    begin: [from, from],
    end: [to, to],
    isOpen: false,
    planned: [],
  };
  const before = intervals.flatMap((each) => (each.begin[0] < from ? [upTo(each, from)] : []));
  const after = intervals.flatMap((each) => (each.end[1] > to ? [since(each, to)] : []));
  return [...before, blind, ...after];
}

function upTo(interval: Interval, until: Instant): Interval {
  const { begin, end, planned } = interval;
  if (end[1] <= until) return interval;
  const cut = planned.flatMap(([from, to]): [Instant, Instant][] => (from < until ? [[from, earlier(to, until)]] : []));
  const [first, sure] = begin;
  return {
    ...interval,
    begin: [first, earlier(sure, until)],
    end: [earlier(end[0], until), until],
    isOpen: false,
    planned: cut,
  };
}

function since(interval: Interval, from: Instant): Interval {
  const { begin, end, planned } = interval;
  if (begin[0] >= from) return interval;
  const cut = planned.flatMap(([begins, to]): [Instant, Instant][] => (to > from ? [[later(begins, from), to]] : []));
  const [near, last] = end;
  return { ...interval, begin: [from, later(begin[1], from)], end: [later(near, from), last], planned: cut };
}
