import type { Instant } from '../time.ts';

/** Numbers from `from` to `to`, both included. */
export type Span = { from: number; to: number };

/**
 * What was received from one journal of a guardian. `alerts`: the numbers that were seen, in rising order; `health`: the highest one;
 * `lastMadeAt`: time of the newest alert by the guardian's own clock.
 */
export type Epoch = { epoch: string; alerts: Span[]; health: number; lastAt: Instant; lastMadeAt: Instant | null };

/** Spans that are kept of an epoch. Above this number the oldest gap counts as seen, so that nothing in it can be accepted twice. */
const maxSpans = 32;

export function includes(spans: readonly Span[], seq: number): boolean {
  return spans.some(({ from, to }) => from <= seq && seq <= to);
}

/** The spans with one more number. */
export function withNumber(spans: readonly Span[], seq: number): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans, { from: seq, to: seq }].toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && span.from <= last.to + 1)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else joined.push(span);
  }
  const [first, second, ...others] = joined;
  return joined.length > maxSpans && first && second ? [{ from: first.from, to: second.to }, ...others] : joined;
}

/** How many of the numbers from 1 to `last` were not seen. */
export function missingUpTo(spans: readonly Span[], last: number): number {
  const seen = spans.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, last) - from + 1), 0);
  return Math.max(0, last - seen);
}
