import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

type Props = {
  summary: ComponentChildren;
  /** Content before its summary, such as a checkbox. */
  lead?: ComponentChildren;
  /** Buttons beside its summary. */
  buttons: ComponentChildren;
  /** The content that is drawn while it is open. */
  children: () => ComponentChildren;
};

/** An expandable item of a list, with its buttons. */
export function Expandable({ summary, lead, buttons, children }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="expandable">
      <div class="expandable-row">
        {lead}
        <button type="button" class="plain expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {summary}
        </button>
        {buttons ? <span class="buttons">{buttons}</span> : null}
      </div>
      {isOpen ? children() : null}
    </li>
  );
}
