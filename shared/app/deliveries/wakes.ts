import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { Wake, Write } from '../ports.ts';

/** The wakes of deliveries that have a due time. The deliveries of one target share a queue. */
export function deliveryWakes(deliveries: readonly Delivery[]): Wake[] {
  return deliveries.flatMap(({ deliveryId: id, version, dueAt, targetName: target, webhookId }) =>
    dueAt ? [{ in: 'deliveries' as const, id, version, dueAt, target, webhookId }] : [],
  );
}

export function deliveryCreation(delivery: Delivery): Write {
  return { kind: 'create', in: 'deliveries', id: delivery.deliveryId, data: delivery };
}
