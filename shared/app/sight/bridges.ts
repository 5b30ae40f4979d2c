import { type CanaryRecord, canaryIdOf, heardBridges } from '../../domain/sight/canary.ts';
import { expectedPartitions, type Partition } from '../../domain/sight/partitions.ts';
import { notFound } from '../../errors.ts';
import type { BridgeList } from '../../schema/bridge/bridge.ts';
import { decideAndCommit, put } from '../commit/commit.ts';

import type { World } from '../ports.ts';
import { loadCanaries } from './sight.ts';

/** The bridges that are expected to forward. */
export async function listBridges(world: Pick<World, 'store'>): Promise<BridgeList> {
  const expected = expectedPartitions(heardBridges(await loadCanaries(world)));
  return { bridges: expected.map(({ partition, of, heardAt }) => ({ partition, of, lastHeardAt: heardAt })) };
}

/**
 * Expects a bridge no more, until a canary comes through it.
 * @throws AppError `not-found` for a bridge that is not expected
 */
export async function removeBridge(world: World, name: { of: string; partition: string }): Promise<void> {
  const bridge: Partition = { partition: Number(name.partition), of: Number(name.of) };
  await decideAndCommit(world, async () => {
    const expected = expectedPartitions(heardBridges(await loadCanaries(world)));
    const isNamed = ({ partition, of }: Partition) => `${partition}` === name.partition && `${of}` === name.of;
    if (!expected.some(isNamed)) throw notFound(`bridge ${name.partition} of ${name.of}`);
    const id = canaryIdOf({ way: 'broker', n: 0 }, bridge);
    const [stored = null] = await world.store.get('platform', [id]);
    const now = world.now();
    const never = { platformId: id, kind: 'canary', way: 'broker', n: 0, sentAt: now, handledAt: now } as const;
    const before = stored?.data.kind === 'canary' ? stored.data : never;
    const data: CanaryRecord = { ...before, gap: null, bridge, removedAt: now };
    return { writes: [put('platform', id, data, stored)], wakes: [], answer: undefined };
  });
}
