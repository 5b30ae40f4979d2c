import type { Delivery, Publication } from '../../domain/delivery/delivery.ts';
import type { Wake, Write } from '../ports.ts';

/** The wakes of deliveries that have a due time. The deliveries of one target share a queue. */
export function deliveryWakes(deliveries: readonly Delivery[]): Wake[] {
  return deliveries.flatMap(({ deliveryId: id, version, dueAt, targetName: target, webhookId }) =>
    dueAt ? [{ in: 'deliveries' as const, id, version, dueAt, target, webhookId }] : [],
  );
}

/** The events that something causes, for the feed, and the deliveries that refer to them. */
export function publicationWrites({ events, deliveries }: Publication): Write[] {
  const ofEvents = events.map((data): Write => ({ kind: 'create', in: 'events', id: data.recordId, data }));
  return [...ofEvents, ...deliveries.map(deliveryCreation)];
}

export function deliveryCreation(delivery: Delivery): Write {
  return { kind: 'create', in: 'deliveries', id: delivery.deliveryId, data: delivery };
}
