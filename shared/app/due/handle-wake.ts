import { wakeOwed } from '../deliveries/wake-owed.ts';
import type { Wake, World } from '../ports.ts';
import { handleAlertWake, isAlertWake } from './alert-due.ts';
import { handleDeviceDue } from './device-due.ts';

type DueKind = Exclude<Wake['in'], 'deliveries'>;

/** Whether an alarm of `deadline` can be about records of this kind. */
export function isDueKind(kind: unknown): kind is DueKind {
  return kind === 'devices' || isAlertWake(kind);
}

/**
 * Answers the alarm of a record. Safe to repeat.
 * @param isRepeat the platform has called before: that call may have ended before it set its alarms
 */
export async function handleWake(world: World, kind: DueKind, id: string, isRepeat: boolean): Promise<void> {
  await (kind === 'devices' ? handleDeviceDue(world, id) : handleAlertWake(world, kind, id));
  const deviceId = isRepeat ? await deviceOf(world, kind, id) : null;
  if (deviceId !== null) await wakeOwed(world, deviceId);
}

async function deviceOf({ store }: World, kind: DueKind, id: string): Promise<string | null> {
  if (kind === 'devices') return id;
  if (kind !== 'alerts' && kind !== 'guardianAlerts') return null;
  const [stored = null] = await store.get(kind, [id]);
  return stored?.data.deviceId ?? null;
}
