import type { Interval, RecordedSpan } from '../../../shared/domain/sight/intervals.ts';
import { type Blind, type Life, secondsOf } from './truth.ts';

/** The result of comparing the ledger's claims with the truth. Times in seconds. */
export type Judged = {
  tried: number;
  /** Blindness that is missing in the claims. */
  unclaimed: string[];
  /** Claims of blindness that fit no real blindness within their bounds. */
  wrongBounds: string[];
  /** Blindness in periods that are claimed as seen. */
  falselySeen: string[];
  /** Claims with bounds that are wider than necessary. */
  wide: string[];
  seenClaimed: number;
  seenTruly: number;
  /** Seconds that are claimed as seen in unreported blindness that is shorter than the record's resolution. */
  belowResolution: number;
};

export function nothingJudged(): Judged {
  return {
    tried: 0,
    unclaimed: [],
    wrongBounds: [],
    falselySeen: [],
    wide: [],
    seenClaimed: 0,
    seenTruly: 0,
    belowResolution: 0,
  };
}

type Span = [from: number, until: number];

/** Seconds: two reports of a camera that reports each minute, plus the resolution of two minutes for writes. */
const resolution = 240;
const patience = 420;

export function judge(life: Life, records: readonly RecordedSpan[], name: string, total: Judged): void {
  const [first, last] = [records[0], records.at(-1)];
  if (!first || !last) throw new Error(`${name}: nothing is recorded`);
  const covered: Span = [secondsOf(first.from), secondsOf(last.to)];
  const intervals = records.flatMap((record) => record.intervals);
  for (const record of records) judgeOrder(record, name, total);
  const seen = records.flatMap((record) => seenOf(record));
  const blinds = life.blinds.filter(({ from, until }) => from < covered[1] && until > covered[0]);
  for (const blind of blinds) judgeBlind(blind, intervals, seen, covered, name, total);
  for (const interval of intervals) judgeInterval(interval, blinds, name, total);
  const dark = blinds.map(({ from, until }): Span => [Math.max(from, covered[0]), Math.min(until, covered[1])]);
  total.seenTruly += covered[1] - covered[0] - lengthOf(dark);
  total.seenClaimed += lengthOf(seen);
}

function seenOf({ from, to, intervals }: RecordedSpan): Span[] {
  const spans: Span[] = [];
  let at = secondsOf(from);
  for (const { begin, end } of intervals.toSorted((a, b) => (a.begin[0] < b.begin[0] ? -1 : 1))) {
    if (secondsOf(begin[0]) > at) spans.push([at, secondsOf(begin[0])]);
    at = Math.max(at, secondsOf(end[1]));
  }
  if (secondsOf(to) > at) spans.push([at, secondsOf(to)]);
  return spans;
}

function judgeBlind(
  blind: Blind,
  intervals: readonly Interval[],
  seen: Span[],
  covered: Span,
  name: string,
  total: Judged,
): void {
  const { from, until, reported } = blind;
  const text = `${name}: ${reported ?? 'unreported'} ${from.toFixed(0)}–${until.toFixed(0)} (${(until - from).toFixed(0)} s)`;
  const overlap = lengthOf(seen.map(([a, b]): Span => [Math.max(a, from), Math.min(b, until)]));
  if (reported === null && until - from <= resolution) total.belowResolution += overlap;
  else if (overlap > 0) total.falselySeen.push(`${text}: ${overlap.toFixed(1)} s`);
  const lasts = until - from;
  const mustBeClaimed = reported === null ? lasts >= patience + 240 : lasts >= 60;
  if (!mustBeClaimed || from < covered[0] || until + 300 > covered[1]) return;
  total.tried += 1;
  const found = intervals.filter(
    ({ state, isOpen, begin, end }) => state === 'blind' && !isOpen && holds(begin, from) && holds(end, until),
  );
  if (found.length === 0) total.unclaimed.push(text);
  for (const { begin, end } of found) {
    const [first, last] = [width(begin), width(end)];
    if (first > (reported === 'closed' ? 10 : 240)) total.wide.push(`${text}: begins within ${first} s`);
    if (last > 240) total.wide.push(`${text}: ends within ${last} s`);
  }
}

/** A claim of certain blindness needs a real blindness that began and ended within the bounds of the claim. */
function judgeInterval(
  { state, begin, end, isOpen, cause }: Interval,
  blinds: readonly Blind[],
  name: string,
  total: Judged,
): void {
  if (state !== 'blind' || cause === 'not-registered') return;
  const fits = blinds.some(
    ({ from, until }) => holds(begin, from) && (isOpen ? until >= secondsOf(end[0]) : holds(end, until)),
  );
  if (!fits)
    total.wrongBounds.push(`${name}: ${cause} ${begin.map(secondsOf)} – ${end.map(secondsOf)}${isOpen ? ' open' : ''}`);
}

/** A verifier proves nothing of an entry whose intervals overlap. */
function judgeOrder({ intervals }: RecordedSpan, name: string, total: Judged): void {
  for (const [place, { begin, end }] of intervals.entries()) {
    const before = intervals[place - 1]?.end[1] ?? '';
    if (begin[0] < before || begin[0] > begin[1] || end[0] > end[1] || begin[0] >= end[1])
      total.wrongBounds.push(`${name}: ${begin.map(secondsOf)} – ${end.map(secondsOf)} is out of order`);
  }
}

function holds([earliest, latest]: readonly [string, string], at: number): boolean {
  return secondsOf(earliest) <= at + 0.001 && at <= secondsOf(latest) + 0.001;
}

function width([earliest, latest]: readonly [string, string]): number {
  return secondsOf(latest) - secondsOf(earliest);
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, [from, until]) => sum + Math.max(0, until - from), 0);
}
