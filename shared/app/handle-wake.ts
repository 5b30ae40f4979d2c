import { alertHandlers } from './alert-due.ts';
import { handleDeviceDue } from './handle-due.ts';
import type { World } from './ports.ts';
import { wakeOwed } from './wake-owed.ts';

const handlers = { devices: handleDeviceDue, ...alertHandlers };
type DueKind = keyof typeof handlers;

/** Whether an alarm can be about records of this kind. */
export function isDueKind(kind: unknown): kind is DueKind {
  return typeof kind === 'string' && Object.hasOwn(handlers, kind);
}

/**
 * Answers the alarm of a record. Safe to repeat.
 * @param isRepeat the platform has called before: that call may have ended before it set its alarms
 */
export async function handleWake(world: World, kind: DueKind, id: string, isRepeat: boolean): Promise<void> {
  await handlers[kind](world, id);
  const deviceId = isRepeat ? await deviceOf(world, kind, id) : null;
  if (deviceId !== null) await wakeOwed(world, deviceId);
}

async function deviceOf({ store }: World, kind: DueKind, id: string): Promise<string | null> {
  if (kind === 'devices') return id;
  if (kind !== 'alerts' && kind !== 'guardianAlerts') return null;
  const [stored = null] = await store.get(kind, [id]);
  return stored?.data.deviceId ?? null;
}
