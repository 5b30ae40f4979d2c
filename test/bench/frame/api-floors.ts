import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import type { Kind, Records, Store, Write } from '../../../shared/app/ports.ts';
import { ana, openTestAlert } from '../../support/records/alerts.ts';
import { createTestWorld } from '../../support/world/world.ts';
import { cpuOf, cpuOfPlain } from './measure.ts';

type Floor = (count: number) => Promise<number>;

/** The least work of a page: its JSON is parsed once and written once. µs of CPU for each page. */
export function parseAndStringify(page: string): Floor {
  return async (count) => cpuOfPlain(count, () => JSON.stringify(JSON.parse(page)));
}

/** The least work of an acknowledgement: its commit on the in-process store, `width` at a time. µs of CPU for each. */
export function ownCommits(width: number): Floor {
  return async (count) => {
    const commits = await commitsOfAcknowledgements(count);
    const store = createMemoryStore();
    const ready: Write[][] = [];
    for (const { before, writes } of commits) {
      if (before.length > 0) await store.commit(before);
      ready.push(await Promise.all(writes.map((write) => withRevision(store, write))));
    }
    return cpuOf(ready.length, width, (index) => store.commit(ready[index] ?? []));
  };
}

type Commit = { before: Write[]; writes: readonly Write[] };

/** Runs acknowledgements and keeps the writes of each commit, with the records as they were before it. */
async function commitsOfAcknowledgements(count: number): Promise<Commit[]> {
  const world = createTestWorld();
  const commits: Commit[] = [];
  const store: Store = {
    ...world.store,
    async commit(writes) {
      const before = await Promise.all(writes.map((write) => creationOf(world.store, write)));
      commits.push({ before: before.flatMap((each) => each ?? []), writes });
      return world.store.commit(writes);
    },
  };
  for (let index = 0; index < count; index += 1) {
    const alertId = await openTestAlert(world);
    await actOnAlert({ ...world, store }, ana, alertId, { kind: 'acknowledge' }, null);
  }
  return commits;
}

/** A write that creates the record, as it is now, that a given write needs to exist. Null: it needs none. */
async function creationOf(store: Store, write: Write): Promise<Write | null> {
  if (write.kind === 'create' || write.kind === 'accrue') return null;
  const [stored] = await store.get<Kind>(write.in, [write.id]);
  return stored ? ({ kind: 'create', in: write.in, id: write.id, data: stored.data as Records[Kind] } as Write) : null;
}

async function withRevision(store: Store, write: Write): Promise<Write> {
  if (write.kind !== 'replace' && write.kind !== 'delete') return write;
  const [stored] = await store.get<Kind>(write.in, [write.id]);
  if (!stored) throw new Error(`${write.in}/${write.id} is replaced and was not there`);
  return { ...write, revision: stored.revision };
}
