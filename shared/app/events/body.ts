import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { Reads } from '../ports.ts';

/** The body of a delivery, from its event record if it refers to one. Null: the event has expired. */
export async function bodyOf(
  { store }: Reads<'events'>,
  { recordId, body }: Pick<Delivery, 'recordId' | 'body'>,
): Promise<string | null> {
  if (!recordId) return body;
  const [event = null] = await store.get('events', [recordId]);
  return event?.data.body ?? null;
}
