import type { JSX } from 'preact';
import { fullTime, relative, shortTime, useNow } from '../format.ts';
import { zoneName } from '../time-zone.ts';

/** A moment in the one zone of the console; in full, with the zone, on hover. */
export function Time({ at, form = 'short' }: { at: string; form?: 'short' | 'full' | 'age' }): JSX.Element {
  const now = useNow();
  const text = form === 'age' ? relative(at, now) : form === 'full' ? fullTime(at) : shortTime(at);
  return (
    <time dateTime={at} title={`${fullTime(at)} ${zoneName(new Date(at))}`}>
      {text}
    </time>
  );
}
