import type { JSX } from 'preact';
import type { PresenceSpan } from './alert/presence-spans.ts';

export const dayMs = 24 * 60 * 60_000;

/** When something was connected, as a strip whose words say the same. */
export function Strip({ spans, words }: { spans: readonly PresenceSpan[]; words: string }): JSX.Element {
  return (
    <svg class="strip" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={words}>
      {spans.map(({ isOnline, fromPart, part }) => (
        <rect
          key={fromPart}
          class={isOnline === null ? 'part-unknown' : isOnline ? 'part-online' : 'part-offline'}
          x={fromPart * 1000}
          width={Math.max(6, part * 1000)}
          height="10"
        />
      ))}
    </svg>
  );
}
