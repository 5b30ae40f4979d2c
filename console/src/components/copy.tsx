import type { JSX } from 'preact';
import { Icon } from './icons.tsx';
import { say } from './toast.tsx';

export function CopyButton({ text, label }: { text: string; label: string }): JSX.Element {
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => say('Copied.'),
      () => say('The browser did not allow copying; select the text instead.', { isProblem: true }),
    );
  return (
    <button type="button" class="plain" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name="copy" />
    </button>
  );
}
