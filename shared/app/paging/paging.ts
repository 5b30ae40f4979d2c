import { AppError } from '../../errors.ts';

/** Signs and reads page tokens; opaque to clients. */
export type PageTokens = {
  seal(list: string, position: unknown[]): string;
  /** @throws AppError `invalid-request` for a token that is not ours or of another list */
  open(list: string, token: string): unknown[];
};

export type Page = { pageSize?: number; pageToken?: string };

export const defaultPageSize = 50;

/** What a token is bound to: the operation, the filters and whose view it is, without the paging members themselves. */
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

/** Cuts one record too many off a page and says where the next begins. */
export function cut<T>(
  items: T[],
  pageSize: number,
  position: (last: T) => unknown[],
): { items: T[]; next: unknown[] | null } {
  const page = items.slice(0, pageSize);
  const last = page.at(-1);
  return { items: page, next: items.length > pageSize && last !== undefined ? position(last) : null };
}
