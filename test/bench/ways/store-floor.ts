import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import type { Store } from '../../../shared/app/ports.ts';
import { connectEmulator } from '../../support/stores/emulator-client.ts';
import { close, runAtOnce, type Sink } from './runs.ts';
import { startTwin } from './twin.ts';
import type { Target } from './way.ts';

/** Round trips to the store for one delivery, from the acceptance of the event to the stored result. */
export type Trips = { reads: number; commits: number };

const sample = 200;
const width = 16;

/** Counts the round trips for each delivery, in our whole way with the in-process store. */
export async function countTrips(sink: Sink, target: Target): Promise<Trips> {
  const inner = createMemoryStore();
  const trips = { reads: 0, commits: 0 };
  const store: Store = {
    ...inner,
    get: (kind, ids) => {
      trips.reads += 1;
      return inner.get(kind, ids);
    },
    getMany: (ids) => {
      trips.reads += 1;
      return inner.getMany(ids);
    },
    find: (query) => {
      trips.reads += 1;
      return inner.find(query);
    },
    commit: (writes) => {
      trips.commits += 1;
      return inner.commit(writes);
    },
  };
  const twin = await startTwin(target, store);
  await runAtOnce(twin, sink, target, sample);
  await close(twin);
  return { reads: trips.reads / sample, commits: trips.commits / sample };
}

/** The emulator's limit in deliveries a second: as many reads and writes of single documents for each delivery, and nothing else. */
export async function storeLimit(
  stack: { projectId: string; firestoreHost: string | null },
  { reads, commits }: Trips,
  count: number,
): Promise<number> {
  const db = connectEmulator(stack);
  const document = (index: number) => db.collection('limit').doc(`d-${index}`);
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const [read, write] = [Math.round(reads), Math.round(commits)];
      for (let turn = 0; turn < write; turn += 1) await document(index).set({ turn, text: 'x'.repeat(1000) });
      for (let turn = 0; turn < read; turn += 1) await document(index).get();
    }
  };
  try {
    await document(0).get();
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: width }, lane));
    return count / ((performance.now() - startedAt) / 1000);
  } finally {
    await db.terminate();
  }
}
