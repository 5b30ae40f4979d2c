import { describe, expect, test } from 'vitest';
import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { createFirestoreStore } from '../../shared/adapters/firestore/store.ts';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import { isSameRevision } from '../../shared/app/commit/commit.ts';
import type { Kind, Query, Revision, Store, Stored, Write } from '../../shared/app/ports.ts';
import { emulatorProjects } from '../support/stores/store-of-run.ts';
import { createRandom, type Random } from '../support/world/random.ts';

const missing = missingForEmulators();
/** A plain kind, one with slices and a time to live, and one with an order of commits and slices. */
const kinds = ['devices', 'deliveries', 'activity'] as const satisfies Kind[];
const ids = ['a', 'b', 'c'];
const commits = Number(process.env['TWIN_COMMITS'] ?? (process.env['TEST_SET'] === 'test' ? 60 : 200));

/**
 * The in-process store stands for Firestore in thousands of tests, so both get the same random commits, and each answer and each record after it
 * must be the same. A failure names its seed.
 */
describe.skipIf(missing)('the in-process store and Firestore', () => {
  const connect = emulatorProjects();

  test(`do the same with ${commits} random commits`, async () => {
    const seed = Number(process.env['TWIN_SEED'] ?? 1);
    const random = createRandom(seed);
    const sides = [createMemoryStore(), createFirestoreStore(connect(), 100)].map(
      (store): Side => ({ store, fresh: new Map(), stale: new Map() }),
    );
    const count = { taken: 0, refused: 0 };
    for (let turn = 0; turn < commits; turn += 1) {
      const commit = commitOf(random, (key) => sides.every(({ fresh }) => fresh.has(key)));
      const about = `seed ${seed}, commit ${turn}: ${JSON.stringify(commit)}`;
      const [ofTwin, ofFirestore] = await Promise.all(sides.map((side) => answerOf(side, commit)));
      expect(ofFirestore, about).toEqual(ofTwin);
      const way = random.pick(['get', 'find', 'getMany'] as const);
      const [inTwin, inFirestore] = await Promise.all(sides.map((side) => stateOf(side, way)));
      expect(inFirestore, about).toEqual(inTwin);
      const query = queryOf(random);
      const [byTwin, byFirestore] = await Promise.all(sides.map(({ store }) => foundBy(store, query)));
      expect(byFirestore, `${about}, then ${JSON.stringify(query)}`).toEqual(byTwin);
      count[ofTwin === 'taken' ? 'taken' : 'refused'] += 1;
    }
    // Without this check, stores that refuse everything would pass.
    expect(count.taken).toBeGreaterThan(commits / 3);
    expect(count.refused).toBeGreaterThan(commits / 20);
  });
});

/** A store, and the present and the previous revision of each record that it has. */
type Side = { store: Store; fresh: Map<string, Revision>; stale: Map<string, Revision> };
/** A write without its revision: each store has its own. */
type Planned =
  | { kind: 'create'; in: Kind; id: string; data: object }
  | { kind: 'replace'; in: Kind; id: string; data: object; isStale: boolean }
  | { kind: 'delete'; in: Kind; id: string; isStale: boolean }
  | { kind: 'patch' | 'accrue'; in: Kind; id: string; set: object; add: object };

const keyOf = ({ in: kind, id }: Pick<Planned, 'in' | 'id'>) => `${kind}/${id}`;

/** One to three writes, each to a record of its own. */
function commitOf(random: Random, isKnown: (key: string) => boolean): Planned[] {
  const writes = Array.from({ length: 1 + random.below(3) }, (): Planned => {
    const place = { in: random.pick(kinds), id: random.pick(ids) };
    const kind = random.pick(['create', 'replace', 'replace', 'patch', 'accrue', 'delete'] as const);
    const isStale = random.chance(0.15);
    if ((kind === 'replace' || kind === 'delete') && isKnown(keyOf(place))) {
      return kind === 'delete' ? { kind, ...place, isStale } : { kind, ...place, isStale, data: dataOf(random) };
    }
    if (kind === 'patch') return { kind, ...place, ...changeOf(random, false) };
    // Only kinds without slices and order accrue, because a record that accrues into existence has neither.
    if (kind === 'accrue') return { kind, ...place, in: 'devices', ...changeOf(random, true) };
    return { kind: 'create', ...place, data: dataOf(random) };
  });
  return [...new Map(writes.map((write) => [keyOf(write), write])).values()];
}

/** Members of which each may be missing. */
function dataOf(random: Random): object {
  const some = <T extends object>(member: T) => (random.chance(0.6) ? member : {});
  return {
    // No write leaves a record as it was: Firestore would keep its revision.
    nonce: random.next(),
    ...some({ count: random.below(9) }),
    ...some({ text: random.pick(['a', 'ä', '']) }),
    ...some({ none: null }),
    ...some({ list: Array.from({ length: random.below(3) }, () => ({ ...some({ n: 1 }) })) }),
    ...some({
      map: { ...some({ n: random.below(9) }), ...some({ inner: { ...some({ n: 1 }), ...some({ t: 'x' }) } }) },
    }),
    ...some({ createdAt: `2026-11-2${random.below(9)}T10:00:00.000Z` }),
    ...some({ at: `2026-11-2${random.below(9)}T10:00:00.000Z` }),
    ...some({ expireAt: random.chance(0.3) ? null : '2026-12-24T10:00:00.000Z' }),
  };
}

function changeOf(random: Random, isDeep: boolean): { set: object; add: object } {
  const amounts = { count: random.below(5) - 2 };
  const deep = isDeep && random.chance(0.5) ? { sums: { n: 1, inner: { n: random.below(3) } } } : {};
  return { set: dataOf(random), add: random.chance(0.5) ? { ...amounts, ...deep } : {} };
}

/** `taken`, or the name of the error. */
async function answerOf({ store, fresh, stale }: Side, commit: readonly Planned[]): Promise<string> {
  const writes = commit.map((write): Write => {
    if (!('isStale' in write)) return write as unknown as Write;
    const { isStale, ...rest } = write;
    const revision = (isStale ? stale : fresh).get(keyOf(write)) ?? fresh.get(keyOf(write));
    return { ...rest, revision } as unknown as Write;
  });
  try {
    const revisions = await store.commit(writes);
    commit.forEach((write, index) => {
      const revision = revisions[index];
      if (revision) note({ fresh, stale }, keyOf(write), revision);
    });
    return 'taken';
  } catch (error) {
    return (error as Error).constructor.name;
  }
}

/** All records of a store, read in one of three ways. */
async function stateOf({ store, fresh, stale }: Side, way: 'get' | 'find' | 'getMany'): Promise<object> {
  const together = way === 'getMany' ? await store.getMany({ devices: ids, deliveries: ids, activity: ids }) : null;
  const read = (kind: (typeof kinds)[number]): Promise<(Stored<Kind> | null)[]> | (Stored<Kind> | null)[] => {
    if (together) return together[kind];
    return way === 'get' ? store.get(kind, ids) : store.find({ in: kind, limit: 9 });
  };
  const state: Record<string, object> = {};
  for (const kind of kinds) {
    for (const stored of await read(kind)) {
      if (!stored) continue;
      state[`${kind}/${stored.id}`] = stored.data;
      note({ fresh, stale }, `${kind}/${stored.id}`, stored.revision);
    }
  }
  for (const key of fresh.keys()) if (!(key in state)) fresh.delete(key);
  return state;
}

/** A query by a member that a record may lack, in the order of one. */
function queryOf(random: Random): Query<Kind> {
  const filters = [
    { field: 'count', is: '==', value: random.below(9) },
    { field: 'count', is: random.pick(['<', '<=', '>', '>=']), value: random.below(9) },
    { field: 'text', is: 'in', value: random.pick([['a', 'ä'], ['ä'], []]) },
    { field: 'none', is: '==', value: null },
    { field: 'expireAt', is: '==', value: null },
    { field: 'createdAt', is: random.pick(['<', '>=']), value: '2026-11-24T10:00:00.000Z' },
  ];
  const where = random.chance(0.7) ? [random.pick(filters)] : [];
  const [range] = where.filter(({ is }) => /[<>]/.test(is));
  const by = range?.field ?? random.pick(['count', 'text', 'at', 'createdAt']);
  const order = random.chance(0.7) ? { orderBy: [[by, random.pick(['asc', 'desc'])]] } : {};
  return { in: random.pick(kinds), where, ...order, limit: 1 + random.below(4) } as unknown as Query<Kind>;
}

/** The ids of a query's records in their order, and their number. Or the name of the error. */
async function foundBy(store: Store, query: Query<Kind>): Promise<unknown> {
  try {
    const found = await store.find(query);
    return { ids: found.map(({ id }) => id), count: await store.count({ in: query.in, where: query.where ?? [] }) };
  } catch (error) {
    return (error as Error).constructor.name;
  }
}

function note({ fresh, stale }: Pick<Side, 'fresh' | 'stale'>, key: string, revision: Revision): void {
  const known = fresh.get(key);
  if (known && isSameRevision(known, revision)) return;
  if (known) stale.set(key, known);
  fresh.set(key, revision);
}
