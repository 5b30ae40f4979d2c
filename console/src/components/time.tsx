import type { JSX } from 'preact';
import { fullTime, relative, shortTime, useNow } from '../format.ts';
import { zoneName } from '../time-zone.ts';

/** A time in the console's one time zone. On hover it shows the full form with the zone. */
export function Time({ at, form = 'short' }: { at: string; form?: 'short' | 'full' | 'age' }): JSX.Element {
  const now = useNow();
  const text = form === 'age' ? relative(at, now) : form === 'full' ? fullTime(at) : shortTime(at);
  return (
    <time dateTime={at} title={`${fullTime(at)} ${zoneName(new Date(at))}`}>
      {text}
    </time>
  );
}
