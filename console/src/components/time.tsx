import type { JSX } from 'preact';
import { fullTime, relative, shortTime, useNow } from '../format.ts';
import { zoneName } from '../time-zone.ts';

/** A time in the console's time zone. On hover it shows the full form with the zone. */
export function Time({ at, form = 'short' }: { at: string; form?: 'short' | 'full' | 'age' }): JSX.Element {
  const now = useNow();
  const text = form === 'age' ? relative(at, now) : form === 'full' ? fullTime(at) : shortTime(at);
  return (
    <time dateTime={at} title={`${fullTime(at)} ${zoneName(new Date(at))}`}>
      {text}
    </time>
  );
}

/** How long ago something was. The exact time shows on hover, and replaces the age while its row has the focus. */
export function Age({ at }: { at: string }): JSX.Element {
  const now = useNow();
  const exact = `${fullTime(at)} ${zoneName(new Date(at))}`;
  return (
    <time dateTime={at} title={exact}>
      <span class="age">{relative(at, now)}</span>
      <span class="exact" aria-hidden="true">
        {shortTime(at)}
      </span>
    </time>
  );
}
