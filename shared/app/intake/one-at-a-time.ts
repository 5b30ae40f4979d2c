import type { World } from '../ports.ts';

/** The last work on each device, by instance. A pack has a store and so a queue of its own: two packs that waited for each other's devices would wait for ever. */
const instances = new WeakMap<World['store'], Map<string, Promise<unknown>>>();

/**
 * Works on a device's record after what this instance has begun on it. Where messages of a device arrive at the same time, because the bridge names no
 * ordering key, all but one of their commits would fail and be decided again, up to twelve times each: a flood of one device then occupies the store
 * for everybody.
 */
export async function oneAtATime<T>(
  { store }: Pick<World, 'store'>,
  deviceId: string,
  work: () => Promise<T>,
): Promise<T> {
  const last = instances.get(store) ?? new Map<string, Promise<unknown>>();
  instances.set(store, last);
  const before = last.get(deviceId);
  const own = before ? before.then(work, work) : work();
  last.set(deviceId, own);
  try {
    return await own;
  } finally {
    if (last.get(deviceId) === own) last.delete(deviceId);
  }
}
