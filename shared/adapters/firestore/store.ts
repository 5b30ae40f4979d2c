import { FieldPath, FieldValue, type Firestore, type Timestamp } from '@google-cloud/firestore';
import {
  Conflict,
  type Ids,
  type Kind,
  type Query,
  type RecordsByKind,
  Refused,
  type Store,
  type Stored,
  type Sums,
  type Write,
} from '../../app/ports.ts';
import { clock } from '../clock.ts';
import { compareKeys, signsOf } from '../order.ts';
import { withSlices } from '../slices.ts';
import { withinLimits } from '../store-limits.ts';
import { withinLimit } from './disjunctions.ts';
import { filtered, revisionOf, toDocument, toReplacement, toStored, unchangedSince } from './documents.ts';
import { orderOf, readTail } from './tail.ts';

/** gRPC statuses that mean "another write came first": NOT_FOUND 5, ALREADY_EXISTS 6, FAILED_PRECONDITION 9, ABORTED 10. */
const conflictCodes = new Set([5, 6, 9, 10]);
/**
 * gRPC status INVALID_ARGUMENT: Firestore found what our checks cannot see, such as a patch that makes a record too
 * large.
 */
const invalidArgument = 3;

/**
 * Keeps records in Firestore, one collection for each kind. A commit is one batch with preconditions and never `runTransaction`: it takes
 * no locks, needs one round trip less, and on the emulator two transactions on one document take seconds.
 * @param holdBackMs how long after its time a commit may become visible, at most
 */
export function createFirestoreStore(db: Firestore, holdBackMs = 5000): Store {
  return withinLimits(withSlices(createUncheckedStore(db, holdBackMs)));
}

/** The store without our checks and without slices, for tests of what Firestore itself refuses. */
export function createUncheckedStore(db: Firestore, holdBackMs = 5000): Store {
  return {
    async get<K extends Kind>(kind: K, ids: readonly string[]) {
      if (ids.length === 0) return [];
      const snapshots = await readAll(
        db,
        ids.map((id) => db.collection(kind).doc(id)),
      );
      return snapshots.map((snapshot) => toStored<K>(snapshot));
    },
    async getMany<K extends Kind>(ids: Ids<K>) {
      const wanted = Object.entries<readonly string[]>(ids);
      const refs = wanted.flatMap(([kind, of]) => of.map((id) => db.collection(kind).doc(id)));
      const snapshots = refs.length > 0 ? await readAll(db, refs) : [];
      const found = wanted.map(([kind, of]) => [kind, snapshots.splice(0, of.length).map((each) => toStored(each))]);
      return Object.fromEntries(found) as RecordsByKind<K>;
    },
    async commit(writes) {
      const batch = db.batch();
      for (const write of writes) addTo(batch, db, write);
      try {
        const results = await batch.commit();
        return writes.map((write, index) => {
          const time = results[index]?.writeTime;
          return time && (write.kind === 'create' || write.kind === 'replace')
            ? revisionOf(time, write.data)
            : undefined;
        });
      } catch (error) {
        const { code } = error as { code?: unknown };
        const what = () => writes.map((write) => `${write.kind} ${write.in}/${write.id}`).join(', ');
        if (code === invalidArgument) throw new Refused(what(), error);
        if (typeof code !== 'number' || !conflictCodes.has(code)) throw error;
        throw new Conflict(what(), error);
      }
    },
    async find<K extends Kind>(query: Query<K>) {
      const parts = withinLimit(query.where ?? []);
      const found = await Promise.all(parts.map((where) => findPart(db, { ...query, where })));
      return found.length === 1 ? (found[0] ?? []) : merged(found.flat(), query);
    },
    async count({ in: kind, where }) {
      const counts = withinLimit(where ?? []).map(async (part) => {
        const result = await filtered(db.collection(kind), part).count().get();
        return result.data().count;
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    tail: (tail) => readTail(db, tail, holdBackMs),
  };
}

/** Reads records, and hears from the store what time it is. */
async function readAll(db: Firestore, refs: readonly FirebaseFirestore.DocumentReference[]) {
  const askedMs = clock.elapsedMs();
  const snapshots = await db.getAll(...refs);
  hearStore(snapshots[0]?.readTime, askedMs);
  return snapshots;
}

function hearStore(readTime: Timestamp | undefined, askedMs: number): void {
  if (readTime) clock.hear('store', readTime.toMillis(), askedMs);
}

async function findPart<K extends Kind>(db: Firestore, query: Query<K>): Promise<Stored<K>[]> {
  let built = filtered(db.collection(query.in), query.where ?? []);
  const order = query.orderBy ?? [];
  for (const [field, direction] of order) built = built.orderBy(field, direction);
  built = built.orderBy(FieldPath.documentId(), order.at(-1)?.[1] ?? 'asc').limit(query.limit);
  if (query.after) built = built.startAfter(...query.after);
  const askedMs = clock.elapsedMs();
  const { docs, readTime } = await built.get();
  hearStore(readTime, askedMs);
  return docs.flatMap((doc) => toStored<K>(doc) ?? []);
}

/** Each part is in the order of the query, so a position in the merged list is a position in each part. */
function merged<K extends Kind>(found: Stored<K>[], { orderBy = [], limit }: Query<K>): Stored<K>[] {
  const keyOf = ({ id, data }: Stored<K>) => [...orderBy.map(([field]) => data[field]), id];
  const signs = signsOf(orderBy);
  const once = [...new Map(found.map((stored) => [stored.id, stored])).values()];
  return once.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b), signs)).slice(0, limit);
}

function addTo(batch: FirebaseFirestore.WriteBatch, db: Firestore, write: Write): void {
  const ref = db.collection(write.in).doc(write.id);
  switch (write.kind) {
    case 'create':
      batch.create(ref, { ...toDocument(write.data), ...orderOf(write) });
      return;
    case 'replace':
      batch.update(ref, toReplacement(write.data, write.revision), unchangedSince(write.revision));
      return;
    case 'patch': {
      const sums = Object.entries(write.add ?? {}).map(([field, n]) => [field, FieldValue.increment(Number(n))]);
      batch.update(ref, { ...toDocument(write.set), ...Object.fromEntries(sums) });
      return;
    }
    case 'accrue':
      batch.set(ref, { ...toDocument(write.set), ...toIncrements(write.add) }, mergeOf(write.set, write.add));
      return;
    case 'delete':
      batch.delete(ref, unchangedSince(write.revision));
      return;
    default:
      write satisfies never;
  }
}

/**
 * `merge` would keep what the stored record has in a map that is set. Naming the fields replaces it, but the client then takes time that grows
 * with the square of the number of amounts, so counters, which set no map, do not name them.
 */
function mergeOf(set: object, sums: Sums): FirebaseFirestore.SetOptions {
  const hasMap = Object.values(set).some(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  );
  if (!hasMap) return { merge: true };
  return { mergeFields: [...Object.keys(set).map((name) => new FieldPath(name)), ...pathsOf(sums)] };
}

/** The paths of all amounts. */
function pathsOf(sums: Sums, above: readonly string[] = []): FieldPath[] {
  return Object.entries(sums).flatMap(([member, sum]) =>
    typeof sum === 'number' ? new FieldPath(...above, member) : pathsOf(sum, [...above, member]),
  );
}

function toIncrements(sums: Sums): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sums).map(([member, sum]) => [
      member,
      typeof sum === 'number' ? FieldValue.increment(sum) : toIncrements(sum),
    ]),
  );
}
