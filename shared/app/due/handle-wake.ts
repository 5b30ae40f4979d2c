import { wakeOwed } from '../deliveries/wake-owed.ts';
import type { DueKind, World } from '../ports.ts';
import { handleDue } from './due.ts';

/** A wake may come this early by a difference of clocks; waiting is cheaper than being found by the sweep. */
const earlyMs = 1000;

/**
 * Answers the wake of a record. Safe to repeat.
 * @param isRepeat the platform has called before: that call may have ended before it set its wakes
 */
export async function handleWake(world: World, kind: DueKind, id: string, isRepeat: boolean): Promise<void> {
  await handleDue(world, kind, id, earlyMs);
  const deviceId = isRepeat ? await deviceOf(world, kind, id) : null;
  if (deviceId !== null) await wakeOwed(world, deviceId);
}

async function deviceOf({ store }: World, kind: DueKind, id: string): Promise<string | null> {
  if (kind === 'devices') return id;
  if (kind !== 'alerts' && kind !== 'guardianAlerts') return null;
  const [stored = null] = await store.get(kind, [id]);
  return stored?.data.deviceId ?? null;
}
