import type { Kind, Store } from '../../../shared/app/ports.ts';

/** Makes the call, or not: `act` is the call of the store, `given` its argument. */
export type Around = <T>(name: keyof Store, act: () => Promise<T>, given: unknown) => Promise<T>;

/** The same store with something around each of its calls. */
export function aroundCalls(store: Store, around: Around): Store {
  return {
    get: (kind, ids) => around('get', () => store.get(kind, ids), { [kind]: ids } as Record<Kind, readonly string[]>),
    getMany: (ids) => around('getMany', () => store.getMany(ids), ids),
    commit: (writes) => around('commit', () => store.commit(writes), writes),
    find: (query) => around('find', () => store.find(query), query),
    count: (query) => around('count', () => store.count(query), query),
    tail: (tail) => around('tail', () => store.tail(tail), tail),
  };
}
