import { AppError } from '../../errors.ts';
import type { Kind, Query, Reads, Records, Stored } from '../ports.ts';

/** Signs and reads page tokens. They are opaque to clients. */
export type PageTokens = {
  seal(list: string, position: unknown[]): string;
  /** @throws AppError `invalid-request` for a token that we did not sign or that belongs to another list */
  open(list: string, token: string): unknown[];
};

export type Page = { pageSize?: number; pageToken?: string };

const defaultPageSize = 50;

/** The key that a token is bound to: the operation, the filters and the viewer's groups, without the paging members themselves. */
export function listKey(operation: string, filters: Record<string, unknown>, groups: readonly string[] | null): string {
  const { pageSize: _size, pageToken: _token, ...rest } = filters;
  const members = Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([operation, members, groups?.toSorted() ?? null]);
}

export function wrongPageToken(): AppError {
  return new AppError('invalid-request', 'The page token does not belong to this list.', {
    errors: [{ pointer: '?pageToken', detail: 'is not a token of this list with these filters' }],
  });
}

/** One page of a list, and the token of the next where there is more. */
export type Paged<T> = { items: T[]; next: { nextPageToken?: string } };

/** The parameters of a list: the key to which its tokens are bound, and the requested page. */
export type Asked = { tokens: PageTokens; key: string; page: Page };

/**
 * Reads one record more than a page shows, to know whether and where the next page begins.
 * @param read the records after a position, in the order of the list; null: the bearer may see none
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function pageOf<T>(
  { tokens, key, page }: Asked,
  read: ((limit: number, after: { after?: unknown[] }) => Promise<T[]>) | null,
  position: (last: T) => unknown[],
): Promise<Paged<T>> {
  const after = page.pageToken === undefined ? {} : { after: tokens.open(key, page.pageToken) };
  const pageSize = page.pageSize ?? defaultPageSize;
  const found = read ? await read(pageSize + 1, after) : [];
  const items = found.slice(0, pageSize);
  const last = items.at(-1);
  const isMore = found.length > pageSize && last !== undefined;
  return { items, next: isMore ? { nextPageToken: tokens.seal(key, position(last)) } : {} };
}

/** One page of a query of the store. @param query null: the bearer may see none */
export function pageOfQuery<K extends Kind>(
  { store }: Reads<K>,
  asked: Asked,
  query: Omit<Query<K>, 'limit' | 'after'> | null,
): Promise<Paged<Stored<K>>> {
  const fields = (query?.orderBy ?? []).map(([field]) => field);
  return pageOf(asked, query && ((limit, after) => store.find<K>({ ...query, limit, ...after })), ({ data, id }) => [
    ...fields.map((field) => data[field]),
    id,
  ]);
}

/** Records that one query reads when many are examined. */
const chunk = 500;

/** The first records of a query in its order, about `most` of them, and whether these are all. */
export async function firstOf<K extends Kind>(
  { store }: Reads<K>,
  query: Omit<Query<K>, 'limit' | 'after'>,
  most: number,
): Promise<{ found: Records[K][]; isComplete: boolean }> {
  const found: Stored<K>[] = [];
  let isComplete = false;
  while (!isComplete && found.length < most) {
    const last = found.at(-1);
    const after = last ? { after: [...(query.orderBy ?? []).map(([field]) => last.data[field]), last.id] } : {};
    const next = await store.find<K>({ ...query, limit: chunk, ...after });
    found.push(...next);
    isComplete = next.length < chunk;
  }
  return { found: found.map(({ data }) => data), isComplete };
}
