import { useState } from 'preact/hooks';
import { failureFrom, read } from '../client/api.ts';
import { searchOf } from '../client/router.ts';
import { sayFailure } from './toast.tsx';

/** One page of a list of the API, with the token of the next page. */
type Page<Member extends string, Item> = Record<Member, Item[]> & { nextPageToken?: string };

type More<Item> = {
  /** The items of all pages that were read, each once. */
  all: Item[];
  /** Reads the next page; null after the last. */
  loadMore: (() => Promise<void>) | null;
  /** Replaces an item of a later page with its new state. */
  put: (item: Item) => void;
};

/** A list whose caller keeps the first page current. Further pages are read on request. A new `path` needs a new key. */
export function useMore<Member extends string, Item>(
  path: string,
  member: Member,
  first: Page<Member, Item>,
  idOf: (item: Item) => string,
): More<Item> {
  const [more, setMore] = useState<Item[]>([]);
  const [token, setToken] = useState<string | null | undefined>(undefined);
  const next = token === undefined ? (first.nextPageToken ?? null) : token;
  const loadMore = async () => {
    try {
      const page = await read<Page<Member, Item>>(`${path}&${searchOf({ pageToken: next ?? '' })}`);
      setMore((before) => [...before, ...page[member]]);
      setToken(page.nextPageToken ?? null);
    } catch (error) {
      if (failureFrom(error).kind !== 'offline') setToken(null);
      sayFailure(error);
    }
  };
  const ids = new Set(first[member].map(idOf));
  return {
    all: [...first[member], ...more.filter((item) => !ids.has(idOf(item)))],
    loadMore: next === null ? null : loadMore,
    put: (item) => setMore((before) => before.map((known) => (idOf(known) === idOf(item) ? item : known))),
  };
}
