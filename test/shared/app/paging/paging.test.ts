import { describe, expect, test } from 'vitest';
import {
  firstOf,
  listKey,
  type Page,
  type PageTokens,
  pageOf,
  pageOfQuery,
} from '../../../../shared/app/paging/paging.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const tokens: PageTokens = {
  seal: (list, position) => JSON.stringify([list, position]),
  open: (_list, token) => JSON.parse(token)[1],
};
const numbers = Array.from({ length: 120 }, (_, index) => index + 1);
const read = async (limit: number, { after }: { after?: unknown[] }) => {
  const from = after ? Number(after[0]) : 0;
  return numbers.slice(from, from + limit);
};
const page = (given: Page, reader: typeof read | null = read) =>
  pageOf({ tokens, key: 'k', page: given }, reader, (last) => [last]);

describe('a page', () => {
  test('has fifty items, and a token where there is more', async () => {
    const first = await page({});
    expect([first.items.length, first.next]).toEqual([50, { nextPageToken: '["k",[50]]' }]);
    const second = await page({ pageToken: first.next.nextPageToken ?? '' });
    expect([second.items[0], second.items.at(-1)]).toEqual([51, 100]);
    const last = await page({ pageToken: second.next.nextPageToken ?? '' });
    expect([last.items.length, last.next]).toEqual([20, {}]);
  });

  test('has as many as were asked for, and no token where these are all', async () => {
    expect(await page({ pageSize: 2 })).toEqual({ items: [1, 2], next: { nextPageToken: '["k",[2]]' } });
    expect((await page({ pageSize: 119 })).next).toEqual({ nextPageToken: '["k",[119]]' });
    expect((await page({ pageSize: 120 })).next).toEqual({});
  });

  test('of a bearer who may see none is empty', async () => {
    expect(await page({}, null)).toEqual({ items: [], next: {} });
  });
});

describe('the key of a list', () => {
  test('is the same for the same filters and groups in any order, and without the page', () => {
    const key = listKey('alerts', { status: 'active', code: 'X' }, ['b', 'a']);
    expect(listKey('alerts', { code: 'X', status: 'active', pageSize: 3, pageToken: 't' }, ['a', 'b'])).toBe(key);
    expect(key).toBe('["alerts",[["code","X"],["status","active"]],["a","b"]]');
  });

  test('is another for another operation, filter or viewer', () => {
    const keys = [
      listKey('alerts', { code: 'X' }, ['a']),
      listKey('devices', { code: 'X' }, ['a']),
      listKey('alerts', { code: 'Y' }, ['a']),
      listKey('alerts', {}, ['a']),
      listKey('alerts', { code: 'X' }, ['a', 'b']),
      listKey('alerts', { code: 'X' }, []),
      listKey('alerts', { code: 'X' }, null),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('a query of the store', () => {
  async function worldOf(count: number) {
    const world = createTestWorld();
    for (let from = 0; from < count; from += 400) {
      const ids = Array.from({ length: Math.min(400, count - from) }, (_, index) =>
        String(from + index).padStart(4, '0'),
      );
      await world.store.commit(
        ids.map((id) => ({ kind: 'create', in: 'revisions', id, data: { count: Number(id) } }) as const),
      );
    }
    return world;
  }
  const query = { in: 'revisions' as const, orderBy: [['count', 'asc']] as ['count', 'asc'][] };

  test('goes on after the last item by its order and its id', async () => {
    const world = await worldOf(3);
    const asked = { tokens, key: 'k', page: { pageSize: 2 } };
    const { items, next } = await pageOfQuery<'revisions'>(world, asked, query);
    expect([items.map(({ id }) => id), next]).toEqual([['0000', '0001'], { nextPageToken: '["k",[1,"0001"]]' }]);
    const rest = await pageOfQuery<'revisions'>(
      world,
      { ...asked, page: { ...asked.page, pageToken: next.nextPageToken ?? '' } },
      query,
    );
    expect([rest.items.map(({ id }) => id), rest.next]).toEqual([['0002'], {}]);
    expect(await pageOfQuery<'revisions'>(world, asked, null)).toEqual({ items: [], next: {} });
  });

  test('is read in parts of 500 until there are enough, and says whether these are all', async () => {
    const first = async (count: number, most: number) => {
      const world = await worldOf(count);
      let reads = 0;
      const { find } = world.store;
      const store: typeof world.store = {
        ...world.store,
        find: (asked) => {
          reads += 1;
          return find(asked);
        },
      };
      const { found, isComplete } = await firstOf<'revisions'>({ store }, query, most);
      expect(found.map((each) => each.count)).toEqual(found.map((_, index) => index));
      return [found.length, isComplete, reads];
    };
    expect(await first(499, 1000)).toEqual([499, true, 1]);
    expect(await first(500, 500)).toEqual([500, false, 1]);
    expect(await first(1001, 501)).toEqual([1000, false, 2]);
    expect(await first(500, 501)).toEqual([500, true, 2]);
  });
});
