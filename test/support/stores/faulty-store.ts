import { Conflict, type Store } from '../../../shared/app/ports.ts';

/** The fault of one call of the store: none, before it takes effect, or after ("the answer is lost"). */
export type Fault = null | { when: 'before' | 'after'; error: () => Error };

export const storeErrors = {
  UNAVAILABLE: () => Object.assign(new Error('UNAVAILABLE'), { code: 14 }),
  DEADLINE_EXCEEDED: () => Object.assign(new Error('DEADLINE_EXCEEDED'), { code: 4 }),
  ABORTED: () => new Conflict('ABORTED'),
};

/** A store that fails on request: `faultOf` is called with the number and name of each call. */
export function createFaultyStore(
  store: Store,
  faultOf: (call: number, name: keyof Store) => Fault,
): Store & { calls(): number } {
  let calls = 0;
  const guarded = async <T>(name: keyof Store, act: () => Promise<T>): Promise<T> => {
    calls += 1;
    const fault = faultOf(calls, name);
    if (fault?.when === 'before') throw fault.error();
    const result = await act();
    if (fault?.when === 'after') throw fault.error();
    return result;
  };
  return {
    calls: () => calls,
    get: (kind, ids) => guarded('get', () => store.get(kind, ids)),
    getMany: (ids) => guarded('getMany', () => store.getMany(ids)),
    commit: (writes) => guarded('commit', () => store.commit(writes)),
    find: (query) => guarded('find', () => store.find(query)),
    count: (query) => guarded('count', () => store.count(query)),
    tail: (tail) => guarded('tail', () => store.tail(tail)),
  };
}
