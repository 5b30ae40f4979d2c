import { useEffect, useRef } from 'preact/hooks';
import { createStore } from './store.ts';

/** What a key does, by `KeyboardEvent.key`. */
export type Keys = Record<string, (event: KeyboardEvent) => void>;

const key = 'watchpost.keys';
/** Single keys can be disabled (WCAG 2.1.4), because speech input would trigger them. */
export const keysOn = createStore(localStorage.getItem(key) !== 'off');

export function switchKeys(): void {
  keysOn.set(!keysOn.get());
  localStorage.setItem(key, keysOn.get() ? 'on' : 'off');
}

/** Listens to single keys while the component is shown; never while something is typed or a dialog is open. */
export function useKeys(keys: Keys, isOn = true): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !keysOn.get()) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const act = latest.current[event.key];
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
