import { useEffect, useRef } from 'preact/hooks';
import { createStore } from './store.ts';

/** All single-key shortcuts, by name. The help page shows this table, and no other single keys are handled. */
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

/** Handles single keys while the component is shown, but not during typing or while a dialog is open. */
export function useKeys(keys: Keys, isOn = true): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !keysOn.get()) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const name = names.find((each) => keyTable[each].key === event.key);
      const act = name && latest.current[name];
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isOn]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !isBox(target);
}

function isBox(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio');
}
