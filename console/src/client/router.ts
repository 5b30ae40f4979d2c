import { createStore, useStore } from '../store.ts';

/** The current page: `#/alerts/ID?severity=CRITICAL` is path `['alerts', 'ID']` with its query. */
export type Route = { path: string[]; query: URLSearchParams };
export type Query = Record<string, string | readonly string[] | undefined>;

/**
 * Reads the address. The query stays the same object while its text is the same, so that a list is not drawn again when
 * a record opens beside it.
 */
function readRoute(before?: Route): Route {
  const [path = '', text = ''] = location.hash.replace(/^#/, '').split('?', 2);
  const query = new URLSearchParams(text);
  return {
    path: path.split('/').flatMap((part) => (part ? [decode(part)] : [])),
    query: before && before.query.toString() === query.toString() ? before.query : query,
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const current = createStore<Route>(readRoute());
addEventListener('hashchange', () => current.set(readRoute(current.get())));

export const useRoute = (): Route => useStore(current);

/** The address of a page. Empty members of the query are omitted. */
export function href(path: readonly string[], query: Query | URLSearchParams = {}): string {
  const search = query instanceof URLSearchParams ? query : searchOf(query);
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** The query of an address or a request. A list repeats its name, and empty values are omitted. */
export function searchOf(query: Query): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) if (one) search.append(name, one);
  }
  return search;
}

/** Goes to a page; `replace` leaves no step in the history (for filters that change while typing). */
export function navigate(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  current.set(readRoute(current.get()));
}

/**
 * Links in notifications have plain paths (`/alerts/ID`). The address is changed to the console's own form
 * (`/#/alerts/ID`).
 */
export function adoptPlainPath(): void {
  if (location.pathname === '/' || location.hash) return;
  navigate(`/#${location.pathname}${location.search}`, { replace: true });
}
