import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** A window above the page: keeps the focus inside, closes with Escape, gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onCancel={onClose} onClose={onClose}>
      <header class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
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
      <p>{children}</p>
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
