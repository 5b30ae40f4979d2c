import { createStore, useStore } from '../store.ts';

/** The current page: `#/alerts/ID?severity=CRITICAL` is path `['alerts', 'ID']` with its query. */
export type Route = { path: string[]; query: URLSearchParams };
export type Query = Record<string, string | readonly string[] | undefined>;

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#/, '').split('?', 2);
  return { path: path.split('/').flatMap((part) => (part ? [decode(part)] : [])), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const current = createStore<Route>(readRoute());
addEventListener('hashchange', () => current.set(readRoute()));

export const useRoute = (): Route => useStore(current);

/** The address of a page. Empty members of the query are omitted. */
export function href(path: readonly string[], query: Query | URLSearchParams = {}): string {
  const search = query instanceof URLSearchParams ? query : searchOf(query);
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** Query text from its members; lists repeat their name. */
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
  current.set(readRoute());
}

/** Links in messages have plain paths (`/alerts/ID`). They are shown under the console's own form of address. */
export function adoptPlainPath(): void {
  if (location.pathname === '/' || location.hash) return;
  navigate(`/#${location.pathname}${location.search}`, { replace: true });
}
