import type { JSX } from 'preact';

/**
 * Shows the key of a button. Screen readers skip it, because they get the key from the button's `aria-keyshortcuts`.
 */
export function KeyHint({ of }: { of: string }): JSX.Element {
  return (
    <span aria-hidden="true">
      <kbd>{of}</kbd>
    </span>
  );
}
