import { nextPart } from '../../domain/delivery/fan-out.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';
import { deliveryCreation, deliveryWakes } from './wakes.ts';

/**
 * Creates the next part of the deliveries of a fan-out record, and updates its progress. Idempotent, and can be interrupted. Returns
 * whether there is another part.
 */
export async function handleFanOutDue(
  world: World,
  { id: fanOutId, data, revision }: Stored<'fanOuts'>,
): Promise<Decided<boolean>> {
  const { part, rest } = nextPart(data);
  const ids = part.map(({ deliveryId }) => deliveryId);
  const known = await world.store.get('deliveries', ids);
  const missing = part.filter((_, index) => !known[index]);
  const progress: Write = rest
    ? { kind: 'replace', in: 'fanOuts', id: fanOutId, data: rest, revision }
    : { kind: 'delete', in: 'fanOuts', id: fanOutId, revision };
  return {
    writes: [progress, ...missing.map(deliveryCreation)],
    wakes: deliveryWakes(missing),
    answer: rest !== null,
  };
}
