import type { Kind, Query, Store } from '../../../shared/app/ports.ts';

/** A query, reduced to what determines its index. */
export type Asked = Pick<Query<Kind>, 'in' | 'where' | 'orderBy'>;

/** A store that records every query, and the file of `shared/app` that made it. */
export function recording(store: Store) {
  const asked: Asked[] = [];
  const files = new Set<string>();
  const note = (query: Asked) => {
    asked.push(query);
    const file = /shared\/app\/([\w/-]+\.ts)/.exec(new Error().stack ?? '')?.[1];
    if (file) files.add(file);
  };
  const find: Store['find'] = (query) => {
    note(query as unknown as Asked);
    return store.find(query);
  };
  const count: Store['count'] = (query) => {
    note(query as unknown as Asked);
    return store.count(query);
  };
  return { asked, files, store: { ...store, find, count } };
}
