import type { JSX, Ref } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useRested } from '../format.ts';
import { Icon } from './icons.tsx';
import { KeyHint } from './keys/key-hint.tsx';

type Props = {
  label: string;
  placeholder: string;
  /** The search in the address. The box follows it. */
  asked: string;
  onAsk: (text: string) => void;
  input?: Ref<HTMLInputElement>;
  /** The key that focuses the box. */
  shortcut?: string;
};

/** A search box. Its words go into the address when typing pauses, or at once with Enter. Esc clears both, and leaves the box if they are empty. */
export function SearchBox({ label, placeholder, asked, onAsk, input, shortcut }: Props): JSX.Element {
  const [text, setText] = useState(asked);
  const rested = useRested(text, 250);
  /** The words that this box last put into the address. When they come back they must not overwrite text typed since. */
  const sent = useRef(asked);
  const send = (next: string) => {
    if (next === sent.current) return;
    sent.current = next;
    onAsk(next);
  };
  useEffect(() => {
    if (asked === sent.current) return;
    sent.current = asked;
    setText(asked);
  }, [asked]);
  useEffect(() => {
    if (rested === text) send(rested.trim());
  }, [rested]);
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.key === 'Enter') send(text.trim());
    if (event.key !== 'Escape') return;
    // The browser would clear the field without clearing the search.
    event.preventDefault();
    if (text === '') event.currentTarget.blur();
    setText('');
    send('');
  };
  return (
    <label class="search">
      <Icon name="search" />
      <input
        {...(input ? { ref: input } : {})}
        type="search"
        aria-label={label}
        aria-keyshortcuts={shortcut}
        placeholder={placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {shortcut ? <KeyHint of={shortcut} /> : null}
    </label>
  );
}
