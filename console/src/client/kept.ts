import { useState } from 'preact/hooks';
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

function subject(): string {
  const state = sessionState.get();
  return state.status === 'signed-in' ? state.session.subject : '';
}
