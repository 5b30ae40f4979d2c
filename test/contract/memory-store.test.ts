import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { compare } from '../../shared/adapters/order.ts';
import type { Stored } from '../../shared/app/ports.ts';
import { newDevice } from '../../shared/domain/device/device.ts';
import { createRandom } from '../support/world/random.ts';
import { startOfTests } from '../support/world/world.ts';
import { describeStore } from './store-suite.ts';

describe('the in-process twin', () => {
  describeStore(async () => createMemoryStore());

  test('pages in any order are the same as slices of the sorted records', async () => {
    const store = createMemoryStore();
    const random = createRandom(7);
    const names = Array.from({ length: 300 }, (_, index) => [`${random.below(40)}`, `d${index}`] as const);
    await store.commit(
      names.map(([groupId, id]) => ({
        kind: 'create',
        in: 'devices',
        id,
        data: { ...newDevice(id, startOfTests), groupId },
      })),
    );
    const sorted = names.map(([groupId, id]) => `${groupId} ${id}`).toSorted();
    for (const limit of [1, 2, 7, 149, 150, 300, 1000]) {
      const read: string[] = [];
      for (let after: unknown[] | null = null; ; ) {
        const page: Stored<'devices'>[] = await store.find({
          in: 'devices',
          orderBy: [['groupId', 'asc']],
          limit,
          ...(after ? { after } : {}),
        });
        read.push(...page.map(({ id, data }) => `${data.groupId} ${id}`));
        const last = page.at(-1);
        if (!last || page.length < limit) break;
        after = [last.data.groupId, last.id];
      }
      expect(read).toEqual(sorted);
    }
  });

  test('text is sorted by its UTF-8 bytes', () => {
    const texts = [
      '',
      'a',
      'ab',
      'b',
      'é',
      'z',
      '\uD7FF',
      '\uE000',
      '\uFFFD',
      '😀',
      '😀a',
      '\u{10FFFF}',
      'a😀',
      'a\uFFFD',
    ];
    for (const a of texts) {
      for (const b of texts) {
        expect(Math.sign(compare(a, b)), `${a} ${b}`).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }
    }
  });

  test('a restored snapshot has the same records', async () => {
    const store = createMemoryStore();
    await store.commit([{ kind: 'create', in: 'devices', id: 'a', data: newDevice('a', startOfTests) }]);
    const other = createMemoryStore();
    other.restore(store.snapshot());
    expect((await other.get('devices', ['a']))[0]?.data).toEqual(newDevice('a', startOfTests));
  });
});
