import { decideDue, decideSilent } from '../../domain/change/report-decision.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { writesOf } from '../devices/orders.ts';
import type { World } from '../ports.ts';

/** Looks at a device whose time has come. Early, late or doubled, it does what is due now and no more. */
export async function handleDeviceDue(world: World, deviceId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [deviceId]);
    const now = world.now();
    if (!stored?.data.dueAt || stored.data.dueAt > now) return { writes: [], wakes: [], answer: undefined };
    const decision = decideDue(stored.data, now, world.waits);
    return writesOf(world, stored, decision, decision.at);
  });
}

/** Declares a device silent that was to report by now. One that has reported meanwhile is left alone. */
export async function handleDeviceSilent(world: World, deviceId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [deviceId]);
    const now = world.now();
    if (!stored?.data.silentAt || stored.data.silentAt > now) return { writes: [], wakes: [], answer: undefined };
    const decision = decideSilent(stored.data, now, world.waits);
    return writesOf(world, stored, decision, decision.at);
  });
}
