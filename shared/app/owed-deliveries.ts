import type { Delivery } from '../domain/delivery.ts';
import { wakeAll } from './commit.ts';
import { deliveryWakes } from './delivery-wakes.ts';
import { Conflict, type World, type Write } from './ports.ts';

/** What one commit may hold: writes, and bytes well under the store's 10 MiB. */
const maxWrites = 400;
const maxBytes = 4 * 1024 * 1024;

/** An event that is kept once, by its id, and owed to others. */
export type Owed = { create: Extract<Write, { kind: 'create' }>; bodyBytes: number; deliveries: Delivery[] };

/**
 * Keeps an event and owes it to every endpoint that wants it, in one commit. The same event again changes nothing. Where there are more
 * endpoints than one commit holds, the event is written last: a repeat after a fault then completes what is missing.
 * @returns whether it was new
 */
export async function keepAndOwe(world: World, { create, bodyBytes, deliveries }: Owed): Promise<boolean> {
  const parts = inParts(deliveries, bodyBytes);
  try {
    for (const part of parts.slice(0, -1)) await createMissing(world, part);
    await world.store.commit([...(parts.at(-1) ?? []).map(creation), create]);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    if (await isKept(world, create)) return false;
    // A run before this one was cut off between its commits.
    for (const part of parts) await createMissing(world, part);
    await world.store.commit([create]);
  }
  await wakeAll(world, deliveryWakes(deliveries));
  return true;
}

async function isKept({ store }: World, create: Owed['create']): Promise<boolean> {
  const [kept = null] = await store.get(create.in, [create.id]);
  return kept !== null;
}

function inParts(deliveries: Delivery[], bodyBytes: number): Delivery[][] {
  const size = Math.max(1, Math.min(maxWrites - 1, Math.floor(maxBytes / (bodyBytes + 2048))));
  return Array.from({ length: Math.ceil(deliveries.length / size) }, (_, index) =>
    deliveries.slice(index * size, (index + 1) * size),
  );
}

function creation(delivery: Delivery): Write {
  return { kind: 'create', in: 'deliveries', id: delivery.deliveryId, data: delivery };
}

async function createMissing({ store }: World, deliveries: Delivery[]): Promise<void> {
  const found = await store.get(
    'deliveries',
    deliveries.map(({ deliveryId }) => deliveryId),
  );
  const missing = deliveries.filter((_, index) => !found[index]);
  if (missing.length > 0) await store.commit(missing.map(creation));
}
