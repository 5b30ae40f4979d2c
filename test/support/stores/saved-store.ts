import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import type { Store, Write } from '../../../shared/app/ports.ts';
import { kinds } from '../records/records.ts';

/** A copy of a store as it is now, as a restored database is one: whatever is written to the other later is not in it. */
export async function savedStore(store: Store, nowMs: () => number): Promise<Store> {
  const saved = createMemoryStore(nowMs);
  for (const kind of kinds) {
    for (const { id, data } of await store.find({ in: kind, limit: 10_000 }))
      await saved.commit([{ kind: 'create', in: kind, id, data: structuredClone(data) } as Write]);
  }
  return saved;
}
