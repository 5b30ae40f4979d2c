import { useState } from 'preact/hooks';
import type { Failure } from './api.ts';
import { sessionState } from './auth.ts';

/** Typed text survives the end of a session and the next sign-in. It belongs to this tab and to the person who typed it. */
const prefix = 'watchpost.kept.';
type Kept<T> = { by: string; value: T };

export function kept<T>(name: string): T | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(prefix + name) ?? 'null') as Kept<T> | null;
    return found && found.by === subject() ? found.value : null;
  } catch {
    return null;
  }
}

/** Keeps a value; null forgets it. */
export function keep<T>(name: string, value: T | null): void {
  if (value === null) sessionStorage.removeItem(prefix + name);
  else sessionStorage.setItem(prefix + name, JSON.stringify({ by: subject(), value } satisfies Kept<T>));
}

/** Deletes all kept text. Called when a person signs out. */
export function forgetKept(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}

/** State of a form that is kept until it is sent, or discarded by `forget`. */
export function useKept<T extends object>(name: string, initial: () => T) {
  const [state, setState] = useState(() => {
    const found = kept<T>(name);
    return { value: found ?? initial(), isKept: found !== null };
  });
  const change = (changes: Partial<T>) =>
    setState(({ value }) => {
      const next = { ...value, ...changes };
      keep(name, next);
      return { value: next, isKept: true };
    });
  return { value: state.value, isKept: state.isKept, change, forget: () => keep(name, null) };
}

type Draft<T> = { value: T; etag: string | null };
type DraftOptions<T> = {
  /** The version of the record that the form shows. */
  etag?: string | null;
  /** The part that may be kept, without secrets. */
  keepable?: (value: T) => Partial<T>;
};

/**
 * A draft of a form: the record as it is `saved`, changed by the typed text. It is kept until it is sent or discarded,
 * with the record's version at the start of the typing. If somebody else changes the record meanwhile, the person is
 * warned, and only a second save after the warning overwrites the change.
 */
export function useKeptDraft<T extends object>(
  name: string,
  saved: T,
  { etag = null, keepable }: DraftOptions<T> = {},
) {
  const [draft, setDraft] = useState<Draft<T> | null>(() => {
    const found = kept<Draft<Partial<T>>>(name);
    return found && { value: { ...saved, ...found.value }, etag: found.etag };
  });
  const [isFromBefore, setFromBefore] = useState(draft !== null);
  const put = (made: (before: Draft<T> | null) => Draft<T> | null) =>
    setDraft((before) => {
      const next = made(before);
      keep<Draft<Partial<T>>>(name, next && { ...next, value: keepable?.(next.value) ?? next.value });
      return next;
    });
  const value = draft?.value ?? saved;
  return {
    value,
    isFromBefore,
    /** The version to require. */
    etag: draft?.etag ?? etag,
    change: (changes: Partial<T>) =>
      put((before) => ({ value: { ...(before?.value ?? saved), ...changes }, etag: before ? before.etag : etag })),
    forget: () => {
      keep(name, null);
      put(() => null);
      setFromBefore(false);
    },
    /** Explains why it was not saved. After a conflict the next attempt requires the version that is present then. */
    shown: (failure: Failure): Failure => {
      if (failure.kind !== 'conflict') return failure;
      put((before) => before && { ...before, etag: null });
      const detail = 'What you typed is still here: saving it again replaces what they changed.';
      return { ...failure, detail };
    },
  };
}

function subject(): string {
  const state = sessionState.get();
  return state.status === 'signed-in' ? state.session.subject : '';
}
