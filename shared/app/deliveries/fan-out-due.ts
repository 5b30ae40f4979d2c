import { nextPart } from '../../domain/delivery/fan-out.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { World, Write } from '../ports.ts';
import { deliveryWakes } from './wakes.ts';

/** Makes the deliveries that a commit owes as one record, part by part, each with the record's progress. Safe to repeat and to cut off. */
export async function handleFanOutDue(world: World, fanOutId: string): Promise<void> {
  while (await decideAndCommit(world, () => decidePart(world, fanOutId)));
}

async function decidePart(world: World, fanOutId: string): Promise<Decided<boolean>> {
  const [stored = null] = await world.store.get('fanOuts', [fanOutId]);
  if (!stored) return { writes: [], wakes: [], answer: false };
  const { revision, data } = stored;
  const { part, rest } = nextPart(data);
  const ids = part.map(({ deliveryId }) => deliveryId);
  const known = await world.store.get('deliveries', ids);
  const missing = part.filter((_, index) => !known[index]);
  const progress: Write = rest
    ? { kind: 'replace', in: 'fanOuts', id: fanOutId, data: rest, revision }
    : { kind: 'delete', in: 'fanOuts', id: fanOutId, revision };
  const creates = missing.map((each): Write => ({ kind: 'create', in: 'deliveries', id: each.deliveryId, data: each }));
  return { writes: [progress, ...creates], wakes: deliveryWakes(missing), answer: rest !== null };
}
