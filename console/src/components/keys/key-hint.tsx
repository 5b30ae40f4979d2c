import type { JSX } from 'preact';

/** The key of a button, for eyes: readers of the screen get it from `aria-keyshortcuts` of the button. */
export function KeyHint({ of }: { of: string }): JSX.Element {
  return (
    <span aria-hidden="true">
      <kbd>{of}</kbd>
    </span>
  );
}
