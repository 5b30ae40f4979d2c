import { isSweepDead } from '../../domain/sight/sight.ts';
import { restoreWakes } from '../deliveries/restore-wakes.ts';
import { summarizeFleet } from '../fleet/summaries.ts';
import { refreshNow } from '../now/refresh.ts';
import type { DueKind, WakeKind, World } from '../ports.ts';
import { loadSight } from '../sight/sight.ts';
import { handleDue } from './due.ts';
import { sweep } from './sweep.ts';
import { sweepShard } from './sweep-devices.ts';
import { isDueKind } from './table.ts';

/** A wake may come this early when clocks differ. Waiting is cheaper than leaving the record to the sweep. */
const earlyMs = 1000;

export function isWakeKind(kind: unknown): kind is WakeKind {
  return kind === 'fleetCounters' || kind === 'shards' || kind === 'sweeps' || isDueKind(kind);
}

/**
 * Handles the wake of a record. Idempotent.
 * @param sweepAgain runs the sweep of each minute
 * @param isRepeat the platform has called before, and that call may have ended before it set its wakes
 */
export async function handleWake(
  world: World,
  kind: WakeKind,
  id: string,
  isRepeat: boolean,
  sweepAgain: () => Promise<unknown> = () => sweep(world),
): Promise<void> {
  if (kind === 'fleetCounters') {
    await summarizeFleet(world);
    await refreshNow(world);
    return;
  }
  if (kind === 'shards') return sweepShard(world, id);
  if (kind === 'sweeps') {
    const sight = await loadSight(world);
    if (isSweepDead(sight?.data ?? null, world.now(), world.waits)) await sweepAgain();
    return;
  }
  await handleDue(world, kind, id, earlyMs);
  const deviceId = isRepeat ? await deviceOf(world, kind, id) : null;
  if (deviceId !== null) await restoreWakes(world, deviceId);
}

async function deviceOf({ store }: World, kind: DueKind, id: string): Promise<string | null> {
  if (kind === 'devices') return id;
  if (kind !== 'alerts' && kind !== 'guardianAlerts') return null;
  const [stored = null] = await store.get(kind, [id]);
  return stored?.data.deviceId ?? null;
}
