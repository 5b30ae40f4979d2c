import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { newDevice } from '../../shared/domain/device.ts';
import { startOfTests } from '../support/world.ts';
import { describeStore } from './store-suite.ts';

describe('the in-process twin', () => {
  describeStore(async () => createMemoryStore());

  test('a snapshot restores to the same records', async () => {
    const store = createMemoryStore();
    await store.commit([{ kind: 'create', in: 'devices', id: 'a', data: newDevice('a', startOfTests) }]);
    const other = createMemoryStore();
    other.restore(store.snapshot());
    expect((await other.get('devices', ['a']))[0]?.data).toEqual(newDevice('a', startOfTests));
  });
});
