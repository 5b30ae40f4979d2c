import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureFrom } from '../client/api.ts';
import { createStore, useStore } from '../store.ts';
import { Icon } from './icons.tsx';
import { KeyHint } from './keys/key-hint.tsx';

type Undo = () => Promise<unknown>;
type Toast = { id: number; text: string; isProblem: boolean; undo: Undo | null; ms: number };

const toasts = createStore<Toast[]>([]);
let lastId = 0;
/** The service allows an undo for a minute. The console offers it while the message is shown. */
const undoMs = 10_000;

/** Shows a short message that something succeeded or failed. `undo` undoes it. */
export function say(
  text: string,
  { isProblem = false, undo = null }: { isProblem?: boolean; undo?: Undo | null } = {},
): void {
  lastId += 1;
  const toast = { id: lastId, text, isProblem, undo, ms: undo ? undoMs : isProblem ? 12_000 : 5000 };
  toasts.set([...toasts.get().slice(-2), toast]);
}

export function sayFailure(error: unknown): void {
  sayProblem(failureFrom(error));
}

export function sayProblem({ title, detail }: Failure): void {
  say(detail ? `${title}. ${detail}` : title, { isProblem: true });
}

/** Undoes the last action that can still be undone. */
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

/** The messages. None disappears while the pointer or the focus is on any of them. */
export function Toasts(): JSX.Element {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const shown = useStore(toasts);
  useEffect(() => () => toasts.set([]), []);
  // If a message closes under the pointer, the browser sends no leave event.
  const isHeld = shown.length > 0 && (isHovered || isFocused);
  useEffect(() => {
    if (shown.length > 0) return;
    setHovered(false);
    setFocused(false);
  }, [shown]);
  return (
    <div
      class="toasts"
      role="status"
      aria-live="polite"
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      {shown.map((toast) => (
        <ToastItem key={toast.id} toast={toast} isHeld={isHeld} />
      ))}
    </div>
  );
}

/** Minimum time that a message stays after the pointer or focus has left it. */
const restMs = 2000;

function ToastItem({ toast, isHeld }: { toast: Toast; isHeld: boolean }): JSX.Element {
  const left = useRef(toast.ms);
  useEffect(() => {
    if (isHeld) return;
    const from = performance.now();
    const timer = setTimeout(() => dismiss(toast.id), left.current);
    return () => {
      clearTimeout(timer);
      left.current = Math.max(restMs, left.current - (performance.now() - from));
    };
  }, [isHeld, toast.id]);
  return (
    <div class={toast.isProblem ? 'toast problem' : 'toast'}>
      <span>{toast.text}</span>
      {toast.undo ? (
        <button type="button" class="button small" aria-keyshortcuts="z" onClick={() => undoOf(toast)}>
          Undo <KeyHint of="z" />
        </button>
      ) : null}
      <button type="button" class="plain" aria-label="Close this message" onClick={() => dismiss(toast.id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
