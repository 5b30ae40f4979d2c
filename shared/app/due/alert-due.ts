import type { AlertRecord } from '../../domain/alert/alert.ts';
import { dueChange } from '../../domain/alert/due.ts';
import { decideOneAlert } from '../../domain/change/decide.ts';
import { type DeviceDecision, decideDue } from '../../domain/change/report-decision.ts';
import { holdOn } from '../../domain/change/steps.ts';
import { ladderOf } from '../../domain/notify/policy.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { decidedOnDevice } from '../change/device.ts';
import { decided, nothingRead } from '../change/written.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { loadHorizon } from '../sight/sight.ts';

/**
 * Whether an alert that waited until `notifyAfter` is announced now: only when no message up to that time can be missing, because it could report a
 * heal. A flapping alert does not wait for that.
 */
async function isHealMissed(world: World, { flapping, notifyAfter }: AlertRecord): Promise<boolean> {
  if (flapping || notifyAfter === null) return true;
  const horizon = await loadHorizon(world);
  return horizon !== null && notifyAfter <= horizon;
}

/**
 * Decides what is due for an alert (`dueChange`). Before an alert escalates, its conditions are evaluated.
 */
export async function handleAlertDue(world: World, stored: Stored<'alerts'>, now: Instant): Promise<Decided<boolean>> {
  const nothing = { writes: [], wakes: [], answer: false };
  const configuration = await loadConfiguration(world);
  const alert = stored.data;
  const hold = holdOn(alert, configuration, now);
  const change = dueChange(alert, now, ladderOf(alert, configuration, now, world.waits), world.waits, hold);
  if (!change || change.kind === 'open') return nothing;
  if (change.kind === 'announce' && !(await isHealMissed(world, alert))) return nothing;
  if (change.kind === 'escalate') {
    const decided = await decidedByDevice(world, alert, now);
    if (decided) return decided;
  }
  const read = { ...nothingRead, configuration, alerts: new Map([[stored.id, stored]]) };
  const outcome = await decided(world, read, now, (known, given) =>
    decideOneAlert(alert, change, 'system', known, given),
  );
  return outcome.kind === 'change' ? { writes: outcome.writes, wakes: outcome.wakes, answer: true } : nothing;
}

/**
 * Evaluates the conditions of its device before an alert is escalated, because an alert that is about to end by itself needs nobody.
 * @returns null where no end is known
 */
async function decidedByDevice(
  world: World,
  { alertId, deviceId }: AlertRecord,
  now: Instant,
): Promise<Decided<boolean> | null> {
  const [stored = null] = await world.store.get('devices', [deviceId]);
  if (!stored) return null;
  const ends = ({ orders }: DeviceDecision) =>
    orders.some((order) => order.kind === 'end' && order.alertId === alertId);
  const { waits } = world;
  const horizon = await loadHorizon(world);
  const decision = decideDue(stored.data, now, horizon, waits);
  if (ends(decision)) {
    const { writes, wakes } = await decidedOnDevice(world, stored, decision);
    return { writes, wakes, answer: true };
  }
  // The device has its own wake for that. If that wake is lost, the sweep finds the device.
  return ends(decideDue(stored.data, plus(now, waits.endingSoon), horizon, waits))
    ? { writes: [], wakes: [], answer: false }
    : null;
}
