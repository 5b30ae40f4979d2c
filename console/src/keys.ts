import { useLayoutEffect, useRef } from 'preact/hooks';
import { createStore } from './store.ts';

/**
 * All single-key shortcuts, by name. The help page shows this table. In addition, lists handle arrow keys, Home and
 * End.
 */
export const keyTable = {
  next: { key: 'j', words: 'Next alert; the arrow too' },
  previous: { key: 'k', words: 'Previous alert; the arrow too' },
  close: { key: 'Escape', words: 'Close the open alert, or clear the selection' },
  pick: { key: 'x', words: 'Select' },
  pickRange: { key: 'X', words: 'Select from the one selected before up to here' },
  drop: { key: 'd', words: 'Drop from the selection what is not in view' },
  acknowledge: { key: 'a', words: 'Acknowledge' },
  resolve: { key: 'r', words: 'Resolve' },
  snooze: { key: 's', words: 'Snooze' },
  'add-note': { key: 'n', words: 'Add a note to the open alert' },
  reopen: { key: 'o', words: 'Reopen' },
  undo: { key: 'z', words: 'Undo, while the message offers it' },
  search: { key: '/', words: 'Search the list' },
  go: { key: 'g', words: 'Go to a page; its letter follows' },
  help: { key: '?', words: 'These keys' },
} as const;
export type KeyName = keyof typeof keyTable;

/** What keys do while a component is shown. */
type Keys = Partial<Record<KeyName, (event: KeyboardEvent) => void>>;

const names = Object.keys(keyTable) as KeyName[];
const stored = 'watchpost.keys';
/** Single-key shortcuts can be disabled (WCAG 2.1.4), because speech input would trigger them. */
export const keysOn = createStore(localStorage.getItem(stored) !== 'off');

export function switchKeys(): void {
  keysOn.set(!keysOn.get());
  localStorage.setItem(stored, keysOn.get() ? 'on' : 'off');
}

/**
 * Handles single keys while the component is shown, but not during typing or while a dialog is open. A key that is held down repeats only moves: held
 * after `g`, it would act on the page that it has opened.
 */
export function useKeys(keys: Keys, isOn = true): void {
  const latest = useRef(keys);
  latest.current = keys;
  // A layout effect, because a component must handle keys as soon as it is visible.
  useLayoutEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return;
      const name = names.find((each) => keyTable[each].key === event.key);
      const act = name && latest.current[name];
      if (!act || (event.repeat && name !== 'next' && name !== 'previous')) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isOn]);
}

/**
 * Handles the key that follows a first one, as in `g` `a`. It waits from the moment at which the first key goes down: a second key that follows at
 * once must not do what it does alone, which may be to resolve an alert.
 *
 * @param act returns whether the second key has a meaning here. Otherwise the key does what it does alone.
 * @returns what the first key must call
 */
export function useSecondKey(act: (key: string) => boolean): () => void {
  const latest = useRef(act);
  latest.current = act;
  const isWaiting = useRef(false);
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isWaiting.current || event.key === 'Shift') return;
      isWaiting.current = false;
      if (!isShortcut(event) || !latest.current(event.key)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, []);
  return () => {
    isWaiting.current = true;
  };
}

/** Whether a key is meant as a shortcut: not during typing, not while a dialog is open, and not with Ctrl, Alt or the like. */
function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !keysOn.get()) return false;
  return !isTyping(event.target) && !document.querySelector('dialog[open]');
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !isBox(target);
}

function isBox(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');
}
