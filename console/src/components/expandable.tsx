import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

type Props = {
  summary: ComponentChildren;
  /** Buttons beside its summary. */
  buttons: ComponentChildren;
  /** The content that is drawn while it is open. */
  children: () => ComponentChildren;
};

/** An item of a list: one line that opens, with its buttons. */
export function Expandable({ summary, buttons, children }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="expandable">
      <div class="expandable-row">
        <button type="button" class="plain expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {summary}
        </button>
        {buttons ? <span class="buttons">{buttons}</span> : null}
      </div>
      {isOpen ? children() : null}
    </li>
  );
}
