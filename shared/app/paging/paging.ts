import { nameOf } from '../../domain/device/device.ts';
import { deviceIdPattern } from '../../domain/intake/message.ts';
import { beginningLabel, hasWord, wordsOf } from '../../domain/registry/registry.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import type { Filter, Kind, Query, Reads, Records, Stored } from '../ports.ts';

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
export type PageRequest = { tokens: PageTokens; key: string; page: Page };

/**
 * Reads one record more than a page shows, to know whether and where the next page begins.
 * @param read the records after a position, in the order of the list; null: the bearer may see none
 * @throws AppError `invalid-request` for the page token of another list
 */
export async function pageOf<T>(
  { tokens, key, page }: PageRequest,
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
  asked: PageRequest,
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

/** Answers that are kept for a while, by key. */
export type Cache<T> = (key: string, now: Instant, read: () => Promise<T>) => Promise<T>;

/**
 * Keeps what was read for `forMs`. Calls that come together share one read, and a read that failed is not kept.
 * @param most the number of answers that are kept; the oldest is forgotten first
 */
export function createKept<T>(forMs: number, most: number): Cache<T> {
  const answers = new Map<string, { at: Instant; answer: Promise<T> }>();
  return (key, now, read) => {
    const known = answers.get(key);
    if (known && msBetween(known.at, now) < forMs) return known.answer;
    const answer = read();
    const entry = { at: now, answer };
    answers.delete(key);
    answers.set(key, entry);
    for (const oldest of answers.keys()) {
      if (answers.size <= most) break;
      answers.delete(oldest);
    }
    answer.catch(() => {
      if (answers.get(key) === entry) answers.delete(key);
    });
    return answer;
  };
}

/** The name and the site of a camera. */
export type DeviceLabel = { deviceName: string | null; site: string | null };

const nameless: DeviceLabel = { deviceName: null, site: null };

/**
 * Reads the names of cameras in one request. An id may only be claimed: an id without a camera has no name, nor has a camera outside the bearer's
 * groups.
 */
export async function namesFor(
  { store }: Reads<'devices'>,
  { groups }: Pick<Bearer, 'groups'>,
  ids: readonly (string | null)[],
): Promise<(id: string | null) => DeviceLabel> {
  const wanted = [...new Set(ids)].flatMap((id) => (id !== null && deviceIdPattern.test(id) ? [id] : []));
  const names = new Map<string, DeviceLabel>();
  for (const stored of wanted.length > 0 ? await store.get('devices', wanted) : []) {
    if (!stored || (groups !== null && !groups.includes(stored.data.groupId))) continue;
    names.set(stored.id, { deviceName: nameOf(stored.data), site: stored.data.site });
  }
  return (id) => (id === null ? nameless : (names.get(id) ?? nameless));
}

/** Maximum number of value combinations over all filters of a list. The store accepts 30 per query, so more need several queries. */
const maxCombinations = 900;

/** Members with the requested values. Undefined: no restriction. */
export type Choice<K extends Kind> = [field: keyof Records[K] & string, values: readonly unknown[] | undefined];

/** Filters that accept any of the chosen values. @throws AppError `invalid-request` for too many combined values */
export function filtersOfChoices<K extends Kind>(choices: readonly Choice<K>[]): Filter<K>[] {
  const combinations = choices.reduce((product, [, values]) => product * (values?.length ?? 1), 1);
  if (combinations > maxCombinations) {
    throw new AppError(
      'invalid-request',
      `These filters combine to ${combinations} values; at most ${maxCombinations} can be asked for at once.`,
    );
  }
  return choices.flatMap(([field, values]): Filter<K>[] => {
    if (!values) return [];
    return values.length === 1 ? [{ field, is: '==', value: values[0] }] : [{ field, is: 'in', value: values }];
  });
}

/** A list of records that belong to devices cannot filter by more devices than this. */
const maxFound = 100;

/** The words of a search, the longest first, because it matches the fewest devices. */
export function soughtWords(q: string | undefined): string[] {
  return wordsOf(q ?? '').toSorted((one, other) => other.length - one.length);
}

/**
 * The ids of the devices that match the words of a search, in the groups that the bearer may see.
 * @throws AppError `invalid-request` where there are too many
 */
export async function findDeviceIds(
  { store }: Reads<'devices'>,
  bearer: Bearer,
  groupIds: readonly string[] | undefined,
  q: string,
): Promise<string[]> {
  const words = soughtWords(q);
  const [longest] = words;
  const groups = visibleGroups(groupIds, bearer.groups);
  if (longest === undefined || groups?.length === 0) return [];
  const where: Filter<'devices'>[] = [
    ...filtersOfChoices<'devices'>([['groupId', groups ?? undefined]]),
    { field: 'labels', is: 'array-contains', value: beginningLabel(longest) },
  ];
  const found = await store.find({ in: 'devices', where, orderBy: [['deviceId', 'asc']], limit: maxFound + 1 });
  if (found.length > maxFound) {
    const detail = `matches more than ${maxFound} devices: use more of the name, or a site`;
    throw new AppError('invalid-request', `?q ${detail}.`, { errors: [{ pointer: '?q', detail }] });
  }
  return found.filter(({ data }) => words.every((word) => hasWord(data, word))).map(({ id }) => id);
}
