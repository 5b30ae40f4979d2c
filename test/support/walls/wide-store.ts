import type { Kind, Query, Revision, Store, Stored, Write } from '../../../shared/app/ports.ts';
import type { Device } from '../../../shared/domain/device/device.ts';
import { allShards } from '../../../shared/domain/shards.ts';

const idOf = (index: number) => `cam-${String(index).padStart(7, '0')}`;

/**
 * A store with many devices that are all due by their silence. Each is created when it is read, because in the cloud they are not in the sweep's
 * memory either. A write is kept as one bit, and its consequences are only counted.
 */
export function createWideStore(inner: Store, model: Device, count: number) {
  const handled = new Uint8Array(count);
  const left = { written: 0, alerts: 0 };
  const deviceOf = (index: number): Stored<'devices'> => {
    const id = idOf(index);
    const data = { ...structuredClone(model), deviceId: id, name: id, shard: index % allShards.length };
    return { id, data, revision: index as unknown as Revision };
  };
  const indexOf = (id: string) => (/^cam-\d{7}$/.test(id) ? Number(id.slice(4)) : null);
  const found = (id: string) => {
    const index = indexOf(id);
    return index === null || handled[index] ? null : deviceOf(index);
  };
  /** Silent devices of the queried shards, sorted by id because their times are equal. */
  const page = ({ where = [], limit, after, orderBy = [] }: Query<'devices'>): Stored<'devices'>[] => {
    if (orderBy[0]?.[0] !== 'silentAt') return [];
    const shards = where.flatMap(({ field, value }) => (field === 'shard' ? [value].flat() : []));
    const next: Stored<'devices'>[] = [];
    const from = after ? (indexOf(String(after.at(-1))) ?? -1) + 1 : 0;
    for (let index = from; index < count && next.length < limit; index += 1) {
      if (!handled[index] && shards.includes(index % allShards.length)) next.push(deviceOf(index));
    }
    return next;
  };
  const note = (write: Write) => {
    const index = write.in === 'devices' ? indexOf(write.id) : null;
    if (index !== null) handled[index] = 1;
    if (write.in === 'alerts' && write.kind === 'create') left.alerts += 1;
    left.written += 1;
  };
  const store: Store = {
    ...inner,
    async get<K extends Kind>(kind: K, ids: readonly string[]) {
      return kind === 'devices' ? (ids.map(found) as (Stored<K> | null)[]) : inner.get(kind, ids);
    },
    async getMany(ids) {
      const given = ids as unknown as Record<string, readonly string[]>;
      const pairs = Object.entries(given).map(async ([kind, some]) => [kind, await store.get(kind as Kind, some)]);
      return Object.fromEntries(await Promise.all(pairs));
    },
    async find(query) {
      return query.in === 'devices' ? (page(query as never) as never) : inner.find(query);
    },
    async commit(writes) {
      for (const write of writes) note(write);
      return writes.map((_write, index) => index as unknown as Revision);
    },
  };
  return { store, left };
}
