import { Conflict, type Revision, type Store, type Stored, type Write } from '../ports.ts';

/** Firestore takes 500 writes in a commit. */
const mostTogether = 400;

type PackWrite = {
  write: Write;
  resolve: (revisions: (Revision | undefined)[]) => void;
  reject: (error: unknown) => void;
};

/**
 * A store for many messages that are handled side by side: their devices are read together, and commits of one device alone, which are the sightings of
 * calm cameras, are written together. When another writer was first, each of these is written by itself. `turns` is the number of messages that are
 * still handled: what waits is written when all of them wait, so that no clock is needed.
 */
export function createPackStore(store: Store, turns: number): { store: Store; ended(): void } {
  let active = turns;
  let asked = new Map<string, Promise<Stored<'devices'> | null>>();
  let waiting: PackWrite[] = [];

  const readTogether = (id: string) => {
    const known = asked.get(id);
    if (known) return known;
    const isFirst = asked.size === 0;
    const all = isFirst ? Promise.resolve().then(() => take()) : null;
    if (all) reading = all;
    const own = reading.then((found) => found.get(id) ?? null);
    asked.set(id, own);
    return own;
  };
  let reading: Promise<Map<string, Stored<'devices'> | null>> = Promise.resolve(new Map());
  const take = async () => {
    const ids = [...asked.keys()];
    asked = new Map();
    const found = await store.get('devices', ids);
    return new Map(ids.map((id, index) => [id, found[index] ?? null]));
  };
  const writeWaiting = () => {
    if (waiting.length === 0 || waiting.length < active) return;
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += mostTogether)
      void together(store, all.slice(from, from + mostTogether));
  };
  return {
    store: {
      ...store,
      behind: store,
      get: ((kind, ids) =>
        kind === 'devices' && ids.length === 1 && ids[0] !== undefined
          ? readTogether(ids[0]).then((found) => [found])
          : store.get(kind, ids)) as Store['get'],
      commit: (writes) => {
        const [write] = writes;
        const isSighting =
          writes.length === 1 && write?.in === 'devices' && write.kind !== 'create' && write.kind !== 'delete';
        if (!isSighting) return store.commit(writes);
        return new Promise((resolve, reject) => {
          waiting.push({ write, resolve, reject });
          writeWaiting();
        });
      },
    },
    ended() {
      active -= 1;
      writeWaiting();
    },
  };
}

async function together(store: Store, all: readonly PackWrite[]): Promise<void> {
  try {
    const revisions = await store.commit(all.map(({ write }) => write));
    for (const [index, { resolve }] of all.entries()) resolve([revisions[index]]);
  } catch (error) {
    const isLast = all.length === 1;
    for (const { write, resolve, reject } of all) {
      if (isLast || !(error instanceof Conflict)) reject(error);
      else store.commit([write]).then(resolve, reject);
    }
  }
}
