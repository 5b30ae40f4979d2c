import type { JSX, Ref } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useRested } from '../format.ts';
import { Icon } from './icons.tsx';

type Props = {
  label: string;
  placeholder: string;
  /** What the address says; the box always comes to agree with it. */
  asked: string;
  onAsk: (text: string) => void;
  input?: Ref<HTMLInputElement>;
  /** The key that leads here. */
  shortcut?: string;
};

/** A box whose words stand in the address as soon as the typing rests, or at once by Enter. Esc empties both, and leaves when they are empty. */
export function SearchBox({ label, placeholder, asked, onAsk, input, shortcut }: Props): JSX.Element {
  const [text, setText] = useState(asked);
  const rested = useRested(text, 250);
  /** What was last put into the address from here: its coming back is no news, and must not undo what was typed since. */
  const told = useRef(asked);
  const tell = (next: string) => {
    if (next === told.current) return;
    told.current = next;
    onAsk(next);
  };
  useEffect(() => {
    if (asked === told.current) return;
    told.current = asked;
    setText(asked);
  }, [asked]);
  useEffect(() => {
    if (rested === text) tell(rested.trim());
  }, [rested]);
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    if (event.key === 'Enter') tell(text.trim());
    if (event.key !== 'Escape') return;
    // The browser would empty a search field by itself, without the search.
    event.preventDefault();
    if (text === '') event.currentTarget.blur();
    setText('');
    tell('');
  };
  return (
    <label class="search">
      <Icon name="search" />
      <input
        {...(input ? { ref: input } : {})}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {shortcut ? <kbd>{shortcut}</kbd> : null}
    </label>
  );
}
