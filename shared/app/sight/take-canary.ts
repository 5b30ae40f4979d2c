import { type Canary, canariesOf, canaryIdOf, canaryText, withCanary } from '../../domain/sight/canary.ts';
import { type Partition, wholeBroker } from '../../domain/sight/partitions.ts';
import { parseJson } from '../../schema/json.ts';
import { wayNames } from '../../schema/vocabulary.ts';
import { decideAndCommit, put } from '../commit/commit.ts';

import type { CanarySeal, World } from '../ports.ts';

/**
 * Records in one write that a canary has arrived. A copy, an older one, or one that we did not sign changes nothing.
 * @param through the bridge that forwarded it. Null: it does not say which part of the devices it forwards
 */
export async function takeCanary(
  world: World,
  data: Buffer,
  seal: CanarySeal,
  through: Partition | null = null,
): Promise<void> {
  const canary = readCanary(data, seal);
  if (!canary) return world.log.warn('canary.refused', { sizeBytes: data.length });
  const bridge = canary.way === 'broker' ? (through ?? wholeBroker) : null;
  const id = canaryIdOf(canary, bridge);
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('platform', [id]);
    const before = stored?.data.kind === 'canary' ? stored.data : null;
    const next = withCanary(before, canary, bridge, world.now(), world.waits);
    return { writes: next ? [put('platform', id, next, stored)] : [], wakes: [], answer: undefined };
  });
}

/** Null for a message that we did not sign. */
function readCanary(data: Buffer, seal: CanarySeal): Canary | null {
  const parsed = parseJson(data);
  if ('fault' in parsed) return null;
  const { way, n, sentAt, signature } = (parsed.value as Record<string, unknown> | null) ?? {};
  const name = wayNames.find((each) => each === way);
  if (!name || typeof n !== 'number' || !Number.isInteger(n) || n < 0 || n >= canariesOf[name]) return null;
  if (typeof sentAt !== 'string' || typeof signature !== 'string') return null;
  const canary = { way: name, n, sentAt };
  return seal.verify(canaryText(canary), signature) ? canary : null;
}
