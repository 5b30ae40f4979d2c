import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

type DialogProps = {
  title: string;
  onClose: () => void;
  /** Something has been typed into it before: leaving asks, as after typing. */
  isTyped?: boolean;
  /** Only its own buttons close it. */
  isHeld?: boolean;
  children: ComponentChildren;
};

/** A window above the page: keeps the focus inside and gives it back. Ctrl+Enter sends its form; leaving asks once something was typed. */
export function Dialog({ title, onClose, isTyped = false, isHeld = false, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useRef(isTyped);
  const [isAsking, setAsking] = useState(false);
  const heading = useId();
  useModal(dialog);
  const leave = () => {
    if (isHeld) return;
    if (typed.current) setAsking(!isAsking);
    else onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      leave();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      dialog.current?.querySelector('form')?.requestSubmit();
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onKeyDown={onKeyDown}
      onInput={() => {
        typed.current = true;
      }}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <header class="dialog-head">
        <h2 id={heading}>{title}</h2>
        {isHeld ? null : (
          <button type="button" class="plain" aria-label="Close" onClick={leave}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
      {isAsking ? <Discard onKeep={() => setAsking(false)} onDiscard={onClose} /> : null}
    </dialog>
  );
}

function Discard({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }): JSX.Element {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <div class="notice discard" role="alert">
      <strong>Discard what you typed?</strong>
      <button type="button" class="button" ref={keep} onClick={onKeep}>
        Keep writing
      </button>
      <button type="button" class="button danger" onClick={onDiscard}>
        Discard
      </button>
    </div>
  );
}

/** Opens it with the focus in its first field, or on its first button below where it has none, and gives the focus back at the end. */
function useModal(dialog: { readonly current: HTMLDialogElement | null }): void {
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    const field = element?.querySelector<HTMLElement>(
      ':is(input, textarea, select):not([disabled]), .choices button, footer button',
    );
    field?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
}

/** Asks before something that cannot be taken back, or, where it is harmless, before something of weight. */
export function Confirm({
  title,
  children,
  action,
  isHarmless = false,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ComponentChildren;
  action: string;
  isHarmless?: boolean;
  onConfirm: () => unknown;
  onClose: () => void;
}): JSX.Element {
  const confirm = () => {
    onClose();
    void onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="question">{children}</div>
      <footer class="buttons">
        <button type="button" class="button" onClick={onClose}>
          {isHarmless ? 'Not now' : 'Keep it'}
        </button>
        <button type="button" class={isHarmless ? 'button primary' : 'button danger'} onClick={confirm}>
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
