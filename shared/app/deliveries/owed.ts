import type { Delivery } from '../../domain/delivery/delivery.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Store, World, Write } from '../ports.ts';
import { deliveryCreation, deliveryWakes } from './wakes.ts';

/** An event that is stored once, by its id, with its deliveries. */
export type Owed = { create: Extract<Write, { kind: 'create' }>; deliveries: Delivery[] };

/**
 * Stores an event and creates its deliveries to all subscribed endpoints in one commit. The same event again changes nothing.
 * @returns whether it was new
 */
export async function keepAndOwe(world: World, { create, deliveries }: Owed): Promise<boolean> {
  let isFirstTry = true;
  return decideAndCommit(world, async () => {
    const owed = isFirstTry ? deliveries : await missingOf(world.store, deliveries);
    const isKept = !isFirstTry && (await world.store.get(create.in, [create.id]))[0] !== null;
    isFirstTry = false;
    if (isKept) return { writes: [], wakes: [], answer: false };
    return { writes: [create, ...owed.map(deliveryCreation)], wakes: deliveryWakes(owed), answer: true };
  });
}

/**
 * The deliveries that do not exist yet. Deliveries are kept longer than their events: an event that arrives again after its record has
 * expired is stored again but not sent again.
 */
export async function missingOf(store: Store, deliveries: Delivery[]): Promise<Delivery[]> {
  const ids = deliveries.map(({ deliveryId }) => deliveryId);
  const found = await store.get('deliveries', ids);
  return deliveries.filter((_, index) => !found[index]);
}
