import { sessionState } from './auth.ts';

/**
 * The last answers about the fleet, for a reload of this tab without a connection. They belong to the person who read them and end with the tab or
 * when that person signs out. Settings, teams and endpoints are never stored.
 */
const prefix = 'watchpost.last.';
const about = /^\/v1\/(me|fleet|now|incidents|sites|alerts|devices)(?=[/?]|$)/;
/** Characters per answer, and answers in total: a tab can store about five million characters. */
const mostCharacters = 400_000;
const mostAnswers = 10;
const contactName = 'watchpost.contact';

/** Storing takes as long as drawing a page. It waits this long, so that the page which asked is drawn first, milliseconds. */
const restMs = 1500;

type Answer<T> = { data: T; etag: string | null };
/**
 * Stored as JSON, below a line with its time in milliseconds since 1970, so that the oldest is found without parsing
 * the JSON.
 */
type Last = { by: string; answer: Answer<unknown> };

const unstored = new Map<string, { at: number; last: Last }>();
let contactAt: number | null = null;
let later: ReturnType<typeof setTimeout> | undefined;

/** Keeps an answer, if it is about the fleet. */
export function keepLast(path: string, answer: Answer<unknown>): void {
  const [at, by] = [Date.now(), subject()];
  // An answer may come after somebody has signed out.
  if (by === '') return;
  contactAt = at;
  if (about.test(path)) unstored.set(path, { at, last: { by, answer } });
  later ??= setTimeout(storeAll, restMs);
}

/** The last answer that this person had for a path. Null: none is kept. */
export function lastKnown<T>(path: string): Answer<T> | null {
  const found = unstored.get(path)?.last ?? storedAt(path);
  return found && found.by === subject() ? (found.answer as Answer<T>) : null;
}

/** When the service last answered this tab, milliseconds since 1970. Null: it has not answered. */
export function lastContact(): number | null {
  return contactAt ?? (Number(sessionStorage.getItem(contactName)) || null);
}

export function forgetLast(): void {
  unstored.clear();
  contactAt = null;
  for (const key of kept()) sessionStorage.removeItem(key);
  sessionStorage.removeItem(contactName);
}

/** Stores at once when the page is left, because it may be a reload. */
globalThis.addEventListener?.('pagehide', storeAll);

function storeAll(): void {
  clearTimeout(later);
  later = undefined;
  const answers = [...unstored];
  try {
    if (contactAt !== null) sessionStorage.setItem(contactName, String(contactAt));
    for (const [path, { at, last }] of answers) {
      const text = `${at}\n${JSON.stringify(last)}`;
      if (text.length <= mostCharacters) sessionStorage.setItem(prefix + path, text);
    }
    dropOldest();
    unstored.clear();
  } catch {
    // The storage is full. The page works without it.
    forgetLast();
  }
}

function storedAt(path: string): Last | null {
  try {
    const stored = sessionStorage.getItem(prefix + path) ?? 'null';
    return JSON.parse(stored.slice(stored.indexOf('\n') + 1)) as Last | null;
  } catch {
    return null;
  }
}

function kept(): string[] {
  return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
}

function dropOldest(): void {
  const keys = kept();
  if (keys.length <= mostAnswers) return;
  const ages = keys.map((key) => ({ key, at: Number.parseInt(sessionStorage.getItem(key) ?? '0', 10) }));
  const oldest = ages.toSorted((a, b) => a.at - b.at).slice(0, keys.length - mostAnswers);
  for (const { key } of oldest) sessionStorage.removeItem(key);
}

function subject(): string {
  const state = sessionState.get();
  return state.status === 'signed-in' ? state.session.subject : '';
}
