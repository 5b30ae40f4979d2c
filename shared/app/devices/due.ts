import { decideDue, decideSilent } from '../../domain/change/report-decision.ts';
import type { Device } from '../../domain/device/device.ts';
import { heardFrom } from '../../domain/restored/restored.ts';
import type { SightRecord } from '../../domain/sight/sight.ts';
import type { Instant } from '../../domain/time.ts';
import { decidedOnDevice } from '../change/device.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { loadSight } from '../sight/sight.ts';

/** How far the platform sees, and when its horizon last went on after it had stood still. */
export type HorizonView = Pick<SightRecord, 'horizonAt' | 'clearSince'>;

const nothing = { writes: [], wakes: [], answer: false };

/**
 * What the passing of time does to a device and its alerts. A condition that depends on an absent report waits until no report can be
 * missing.
 */
export async function handleDeviceDue(
  world: World,
  stored: Stored<'devices'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const sight = (await loadSight(world))?.data ?? null;
  const horizon = sight?.horizonAt ?? null;
  if (!isDueBy(stored.data, now, horizon)) return nothing;
  const decision = decideDue(heardFrom(stored.data, sight?.restored), now, horizon, world.waits);
  const { writes, wakes } = await decidedOnDevice(world, stored, decision);
  return { writes, wakes, answer: false };
}

function isDueBy({ dueAt, absentAt }: Device, now: Instant, horizon: Instant | null): boolean {
  return (dueAt !== null && dueAt <= now) || (absentAt !== null && horizon !== null && absentAt <= horizon);
}

/**
 * Handles a device that had to report by the horizon: it is silent, or its loss is real. A device that has reported meanwhile does not
 * change.
 */
export async function handleDeviceAbsent(world: World, deviceId: string, seen: HorizonView): Promise<void> {
  // The opening and the end of a loss that is over are two commits, because a commit has no order inside; and one loss may follow another.
  while (await handleAbsentOnce(world, deviceId, seen));
}

/** @returns whether it must be evaluated again at once */
function handleAbsentOnce(
  world: World,
  deviceId: string,
  { horizonAt: horizon, clearSince }: HorizonView,
): Promise<boolean> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('devices', [deviceId]);
    const now = world.now();
    if (!stored) return nothing;
    const { silentAt, absentAt } = stored.data;
    const isSilent = isDueAt(silentAt, horizon);
    if (!isSilent && !isDueAt(absentAt, horizon)) return nothing;
    const { settings, restored } = await loadConfiguration(world);
    const device = heardFrom(stored.data, restored);
    const decision = isSilent
      ? decideSilent(device, now, horizon, world.waits, settings)
      : decideDue(device, now, horizon, world.waits, clearSince ?? null);
    const { writes, wakes } = await decidedOnDevice(world, stored, decision);
    return { writes, wakes, answer: decision.orders.length > 0 && isDueAt(decision.device.absentAt, horizon) };
  });
}

function isDueAt(at: Instant | null, horizon: Instant): boolean {
  return at !== null && at <= horizon;
}
