import { wakeOwed } from '../deliveries/wake-owed.ts';
import type { DueKind, World } from '../ports.ts';
import { handleDue } from './due.ts';

/** A wake may come this early when clocks differ. Waiting is cheaper than leaving the record to the sweep. */
const earlyMs = 1000;

/**
 * Handles the wake of a record. Idempotent.
 * @param isRepeat the platform has called before, and that call may have ended before it set its wakes
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
