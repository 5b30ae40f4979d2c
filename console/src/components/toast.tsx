import type { JSX } from 'preact';
import { type Failure, failureFrom } from '../client/api.ts';
import { createStore, useStore } from '../store.ts';
import { Icon } from './icons.tsx';

type Undo = () => Promise<unknown>;
type Toast = { id: number; text: string; isProblem: boolean; undo: Undo | null };

const toasts = createStore<Toast[]>([]);
let lastId = 0;
/** The service takes an action back for a minute; the console offers it for as long as the message stays. */
const undoMs = 10_000;

/** Says in passing that something was done, or not; `undo` takes it back. */
export function say(
  text: string,
  { isProblem = false, undo = null }: { isProblem?: boolean; undo?: Undo | null } = {},
): void {
  lastId += 1;
  const toast = { id: lastId, text, isProblem, undo };
  toasts.set([...toasts.get().slice(-2), toast]);
  setTimeout(() => dismiss(toast.id), undo ? undoMs : isProblem ? 12_000 : 5000);
}

export function sayFailure(error: unknown): void {
  sayProblem(failureFrom(error));
}

export function sayProblem({ title, detail }: Failure): void {
  say(detail ? `${title}. ${detail}` : title, { isProblem: true });
}

/** Takes the last thing back that can still be taken back. */
export function undoLast(): void {
  const toast = toasts.get().findLast(({ undo }) => undo !== null);
  if (toast) undoOf(toast);
}

function undoOf({ id, undo }: Toast): void {
  dismiss(id);
  undo?.().catch(sayFailure);
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map((toast) => (
        <div key={toast.id} class={toast.isProblem ? 'toast problem' : 'toast'}>
          <span>{toast.text}</span>
          {toast.undo ? (
            <button type="button" class="button small" onClick={() => undoOf(toast)}>
              Undo <kbd>z</kbd>
            </button>
          ) : null}
          <button type="button" class="plain" aria-label="Close this message" onClick={() => dismiss(toast.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
