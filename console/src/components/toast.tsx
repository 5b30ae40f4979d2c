import type { JSX } from 'preact';
import { failureFrom } from '../api.ts';
import { createStore, useStore } from '../store.ts';
import { Icon } from './icons.tsx';

type Toast = { id: number; text: string; isProblem: boolean };

const toasts = createStore<Toast[]>([]);
let lastId = 0;

/** Says in passing that something was done, or not. */
export function say(text: string, { isProblem = false } = {}): void {
  lastId += 1;
  const toast = { id: lastId, text, isProblem };
  toasts.set([...toasts.get().slice(-2), toast]);
  setTimeout(() => dismiss(toast.id), isProblem ? 12_000 : 5000);
}

export function sayFailure(error: unknown): void {
  const { title, detail } = failureFrom(error);
  say(detail ? `${title}. ${detail}` : title, { isProblem: true });
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text, isProblem }) => (
        <div key={id} class={isProblem ? 'toast problem' : 'toast'}>
          <span>{text}</span>
          <button type="button" class="plain" aria-label="Close this message" onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
