import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

type DialogProps = {
  title: string;
  onClose: () => void;
  /** The fields already contain earlier text, so closing asks for confirmation. */
  isTyped?: boolean;
  /** Closing loses no text, so it never asks for confirmation. */
  isPlain?: boolean;
  /** It can be closed only by its own buttons. */
  isHeld?: boolean;
  children: ComponentChildren;
};

/**
 * A dialog above the page. It keeps the focus inside and returns it at the end. Ctrl+Enter sends its form, and closing asks for
 * confirmation once something was typed.
 */
export function Dialog({
  title,
  onClose,
  isTyped = false,
  isPlain = false,
  isHeld = false,
  children,
}: DialogProps): JSX.Element {
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
        typed.current = !isPlain;
      }}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <div class="dialog-head">
        <h2 id={heading}>{title}</h2>
        {isHeld ? null : (
          <button type="button" class="plain" aria-label="Close" onClick={leave}>
            <Icon name="close" />
          </button>
        )}
      </div>
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

/** Opens the dialog with the focus in its first field, or else on its first button, and returns the focus at the end. */
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

/** Asks for confirmation before an action that cannot be undone, or before an important one. */
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
