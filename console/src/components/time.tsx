import type { JSX } from 'preact';
import { fullTime, relative, shortTime, useNow, utcTime } from '../format.ts';

/** A moment in the viewer's zone, with UTC on hover. */
export function Time({ at, form = 'short' }: { at: string; form?: 'short' | 'full' | 'age' }): JSX.Element {
  const now = useNow();
  const text = form === 'age' ? relative(at, now) : form === 'full' ? fullTime(at) : shortTime(at);
  return (
    <time dateTime={at} title={form === 'age' ? `${fullTime(at)} · ${utcTime(at)}` : utcTime(at)}>
      {text}
    </time>
  );
}
