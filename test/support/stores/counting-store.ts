import type { Store, Write } from '../../../shared/app/ports.ts';
import type { Operations } from '../../../tools/cost/operations.ts';

/** What Firestore would bill: documents read (at least one per query), written, and deleted, also by expiry. */
export type Spent = Operations & { queries: number };

/** Counts the operations on a store. */
export function countingStore(store: Store): { store: Store; spent: Spent; reset(): void } {
  const nothing: Spent = { reads: 0, writes: 0, deletes: 0, tasks: 0, queries: 0 };
  const spent = { ...nothing };
  const ends = (write: Write) =>
    write.kind === 'delete' || (write.kind === 'create' && 'expireAt' in write.data && write.data.expireAt) ? 1 : 0;
  const counted: Store = {
    async get(kind, ids) {
      spent.reads += ids.length;
      return store.get(kind, ids);
    },
    async getMany(ids) {
      spent.reads += Object.values<readonly string[]>(ids).flat().length;
      return store.getMany(ids);
    },
    async find(query) {
      const found = await store.find(query);
      spent.queries += 1;
      spent.reads += Math.max(1, found.length);
      return found;
    },
    async count(query) {
      spent.queries += 1;
      spent.reads += 1;
      return store.count(query);
    },
    async tail(tail) {
      const tailed = await store.tail(tail);
      spent.queries += 1;
      spent.reads += Math.max(1, tailed.found.length + tailed.ahead.length);
      return tailed;
    },
    async commit(writes) {
      spent.writes += writes.filter(({ kind }) => kind !== 'delete').length;
      spent.deletes += writes.reduce((sum, write) => sum + ends(write), 0);
      return store.commit(writes);
    },
  };
  return { store: counted, spent, reset: () => Object.assign(spent, nothing) };
}
