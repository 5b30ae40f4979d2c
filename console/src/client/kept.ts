import { useState } from 'preact/hooks';
import type { Failure } from './api.ts';
import { sessionState } from './auth.ts';

/** What was typed outlives a session that ends and the sign-in after it; it is this tab's, and only for who typed it. */
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

/** Forgets all of it, when a person leaves. */
export function forgetKept(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}

/** State of a form that is kept while it is typed, until it is sent or discarded by `forget`. */
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
  /** What of it may be kept: no secret. */
  keepable?: (value: T) => Partial<T>;
};

/**
 * What is typed into the form of a page, over the record as it is `saved`. It is kept until it is sent or discarded, with the version that
 * the writing began from: a change by somebody else in between is told, and replaced only by who was told.
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
    /** The version to insist on. */
    etag: draft?.etag ?? etag,
    change: (changes: Partial<T>) =>
      put((before) => ({ value: { ...(before?.value ?? saved), ...changes }, etag: before ? before.etag : etag })),
    forget: () => {
      keep(name, null);
      put(() => null);
      setFromBefore(false);
    },
    /** Why it was not saved. After a conflict the next attempt insists on what is there by then. */
    told: (failure: Failure): Failure => {
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
