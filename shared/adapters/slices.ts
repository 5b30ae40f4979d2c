import type { OrderedKind } from '../app/commit-order.ts';
import type {
  Filter,
  Ids,
  Kind,
  PositionedRecord,
  Query,
  RecordsByKind,
  Store,
  Stored,
  Tail,
  Write,
} from '../app/ports.ts';

/**
 * Times that increase with each write and by which queries order the records of all groups. One index on such a time
 * takes about 500 writes a second (firestore/docs/solutions/shard-timestamp), so each of their indexes begins with a
 * slice number, and each query asks for all slices. Ten slices take 5,000 writes a second. Of the 30 combinations that
 * Firestore allows, they leave three for the other lists of a query; eight slices would leave no more. `urgency` ends
 * in the time at which the alert began, so the alerts of one severity and priority rise with it.
 */
const risingTimes: Partial<Record<Kind, readonly string[]>> = {
  alerts: ['timestamp', 'dueAt', 'urgency'],
  deliveries: ['createdAt'],
  activity: ['at'],
};
const sliceCount = 10;
export const sliceField = 'slice';
export const allSlices: readonly number[] = Array.from({ length: sliceCount }, (_, slice) => slice);

/** A store that adds slice numbers to writes and queries. Callers never see the numbers. */
export function withSlices<S extends Store>(store: S): S {
  return {
    ...store,
    commit: (writes) => store.commit(writes.map(slicedWrite)),
    async get<K extends Kind>(kind: K, ids: readonly string[]) {
      return unsliced(kind, await store.get(kind, ids));
    },
    async getMany<K extends Kind>(ids: Ids<K>) {
      const found = Object.entries<(Stored<K> | null)[]>(await store.getMany(ids));
      return Object.fromEntries(found.map(([kind, of]) => [kind, unsliced(kind as K, of)])) as RecordsByKind<K>;
    },
    async find<K extends Kind>(query: Query<K>) {
      const found = await store.find<K>({ ...query, ...slicedFilters(query) });
      return unsliced<K>(query.in, found).filter((stored) => stored !== null);
    },
    count: <K extends Kind>(query: Pick<Query<K>, 'in' | 'where'>) =>
      store.count<K>({ ...query, ...slicedFilters(query) }),
    async tail<K extends OrderedKind>(tail: Tail<K>) {
      const { found, ahead, end } = await store.tail(tail);
      return { found: unslicedPlaced(tail.in, found), ahead: unslicedPlaced(tail.in, ahead), end };
    },
  };
}

type SliceQuery<K extends Kind> = Pick<Query<K>, 'in' | 'where' | 'orderBy'>;

/** Whether a query orders or filters by a time whose indexes begin with the slice. */
export function isSliced<K extends Kind>({ in: kind, where = [], orderBy = [] }: SliceQuery<K>): boolean {
  const times = risingTimes[kind];
  if (!times) return false;
  const isRange = ({ field, is }: Filter<K>) => times.includes(field) && /[<>]/.test(is);
  return where.some(isRange) || orderBy.some(([field]) => times.includes(field));
}

function slicedFilters<K extends Kind>(query: SliceQuery<K>): { where?: Filter<K>[] } {
  if (!isSliced(query)) return {};
  const ofSlices = { field: sliceField as Filter<K>['field'], is: 'in', value: allSlices } as const;
  return { where: [...(query.where ?? []), ofSlices] };
}

function slicedWrite(write: Write): Write {
  if (write.kind !== 'create' && write.kind !== 'replace') return write;
  return { ...write, data: sliced(write.in, write.id, write.data) } as Write;
}

/** A record with its slice. */
export function sliced<Data extends object>(kind: Kind, id: string, data: Data): Data {
  return risingTimes[kind] ? { ...data, [sliceField]: sliceOf(id) } : data;
}

export function sliceOf(id: string): number {
  let hash = 7;
  for (const char of id) hash = (hash * 33 + char.charCodeAt(0)) >>> 0;
  return hash % sliceCount;
}

function unsliced<K extends Kind>(kind: K, found: (Stored<K> | null)[]): (Stored<K> | null)[] {
  if (!risingTimes[kind]) return found;
  return found.map((stored) => stored && { ...stored, data: withoutSlice(stored.data) });
}

function unslicedPlaced<K extends OrderedKind>(kind: K, placed: PositionedRecord<K>[]): PositionedRecord<K>[] {
  return risingTimes[kind] ? placed.map((each) => ({ ...each, data: withoutSlice(each.data) })) : placed;
}

function withoutSlice<Data extends object>(data: Data): Data {
  const { [sliceField]: _, ...rest } = data as Data & { [sliceField]?: number };
  return rest as unknown as Data;
}
