import type { Publication } from '../../domain/delivery/delivery.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Store, World, Write } from '../ports.ts';
import { deliveryWakes, publicationWrites } from './wakes.ts';

/** A record that is created once, with the events and deliveries that it causes. */
export type Publishable = { create: Extract<Write, { kind: 'create' }>; published: Publication };

/**
 * Stores an event and creates its deliveries to all subscribed endpoints in one commit. The same event again changes nothing.
 * @returns whether it was new
 */
export async function createAndPublish(world: World, { create, published }: Publishable): Promise<boolean> {
  let isFirstTry = true;
  return decideAndCommit(world, async () => {
    const missing = isFirstTry ? published : await missingOf(world.store, published);
    const isKept = !isFirstTry && (await world.store.get(create.in, [create.id]))[0] !== null;
    isFirstTry = false;
    if (isKept) return { writes: [], wakes: [], answer: false };
    return { writes: [create, ...publicationWrites(missing)], wakes: deliveryWakes(missing.deliveries), answer: true };
  });
}

/**
 * The part of a publication that does not exist yet. Deliveries and their events are kept longer than their cause: a detection that arrives again
 * after its record has expired is stored again but not sent again.
 */
export async function missingOf(store: Store, { events, deliveries }: Publication): Promise<Publication> {
  const found = await store.getMany({
    events: events.map(({ recordId }) => recordId),
    deliveries: deliveries.map(({ deliveryId }) => deliveryId),
  });
  return {
    events: events.filter((_, index) => !found.events[index]),
    deliveries: deliveries.filter((_, index) => !found.deliveries[index]),
  };
}
