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

/**
 * How long ago something was, for a row. The exact time shows on hover, and in place of the age while the row has the
 * focus. A row that cannot have the focus omits it, because each element makes a long list slower.
 */
export function Age({ at, mayHaveFocus }: { at: string; mayHaveFocus: boolean }): JSX.Element {
  const age = relative(at, useNow());
  return (
    <time class="when" dateTime={at} title={`${fullTime(at)} ${zoneName(new Date(at))}`}>
      {mayHaveFocus ? (
        <>
          <span class="age">{age}</span>
          <span class="exact" aria-hidden="true">
            {shortTime(at)}
          </span>
        </>
      ) : (
        age
      )}
    </time>
  );
}
