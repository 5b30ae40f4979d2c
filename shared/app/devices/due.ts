import { decideDue, decideSilent } from '../../domain/change/report-decision.ts';
import type { Instant } from '../../domain/time.ts';
import { decidedOnDevice } from '../change/device.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';

/** What the passing of time does to a device and its alerts. */
export async function decideDeviceDue(
  world: World,
  stored: Stored<'devices'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const { writes, wakes } = await decidedOnDevice(world, stored, decideDue(stored.data, now, world.waits));
  return { writes, wakes, answer: false };
}

/** Declares a device silent that was to report by now. One that has reported meanwhile is left alone. */
export async function handleDeviceSilent(world: World, deviceId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [deviceId]);
    const now = world.now();
    if (!stored?.data.silentAt || stored.data.silentAt > now) return { writes: [], wakes: [], answer: undefined };
    const { writes, wakes } = await decidedOnDevice(world, stored, decideSilent(stored.data, now, world.waits));
    return { writes, wakes, answer: undefined };
  });
}
