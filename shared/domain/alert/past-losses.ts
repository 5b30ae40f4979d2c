import type { Device } from '../device/device.ts';
import { lossRaisedAt } from '../device/presence.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween, plus, spell } from '../time.ts';
import type { AlertSeed } from './alert.ts';
import { connectivityContext } from './conditions.ts';
import { type Cause, ordered, type ReconcileStep, seedOf } from './orders.ts';

/*
 * A camera that is lost for little more than five minutes may be back before the horizon shows that its loss was real. Once the horizon has passed
 * its return, no report can contradict the loss any more: it is recorded with its own times, and nobody is notified.
 */

/** A loss that is over. Copies of one loss have the same end. */
type PastLoss = { at: Instant; raisedAt: Instant; backAt: Instant };

/** The losses that were long enough for an alert, are over and not judged yet, oldest first. What was told while another lasted is a copy of it. */
function pastLossesOf(device: Device, waits: Waits): PastLoss[] {
  const { sightings, lossesJudgedTo = '' } = device;
  const past: PastLoss[] = [];
  for (const { at, backAt, isBackSharp } of sightings?.losses ?? []) {
    const known = past.at(-1)?.backAt ?? lossesJudgedTo;
    const raisedAt = lossRaisedAt(device, at, waits);
    // Of a loss that was told late only a sighting after it is known, not the first one, where the camera was seen all the time.
    const settledAt = plus(at, waits.lossSettle);
    const isEndKnown = isBackSharp || !sightings?.runs.some(({ from, to }) => from <= settledAt && settledAt < to);
    if (backAt !== null && isEndKnown && at > known && raisedAt < backAt) past.push({ at, raisedAt, backAt });
  }
  return past;
}

/** The horizon at which the next of them can be judged. Null: an open alert tells of them, or there is none. */
export function pastLossDueAt(device: Device, waits: Waits): Instant | null {
  const { CONN_001: open } = device.open;
  if (open) return open.overAt ?? null;
  return pastLossesOf(device, waits)[0]?.backAt ?? null;
}

/** Each loss up to the beginning or the end of an alert belongs to it, or was too short. */
export function withLossesJudged(before: Device, after: Device, now: Instant): Device {
  const [was, is] = [before.open.CONN_001, after.open.CONN_001];
  return Boolean(was) === Boolean(is) || was?.overAt ? after : { ...after, lossesJudgedTo: now };
}

/** Opens the alert of the next loss that was long enough and fell in no gap of the horizon. The next decision ends it, in a commit of its own. */
export function withPastLoss(step: ReconcileStep, { clearSince }: Cause, waits: Waits): ReconcileStep {
  const horizon = step.device.horizonAt ?? '';
  if (clearSince === undefined || step.device.open.CONN_001 || step.orders.length > 0) return step;
  let { device } = step;
  for (const loss of pastLossesOf(device, waits)) {
    const { at, backAt } = loss;
    if (backAt > horizon) break;
    device = { ...device, lossesJudgedTo: backAt };
    const isSeen = clearSince === null || at > clearSince;
    if (isSeen && at >= device.groupSince) return withAlert({ ...step, device }, loss, waits);
  }
  return { ...step, device };
}

function withAlert(step: ReconcileStep, { at, raisedAt, backAt }: PastLoss, waits: Waits): ReconcileStep {
  const { device } = step;
  const finding = {
    message: `MQTT connection lost for more than 5 minutes: disconnected, back after ${spell(msBetween(at, backAt))}`,
    context: { ...connectivityContext(device), lastConnected: at, cause: 'disconnected' as const },
  };
  const { CONN_001: last, ...others } = device.ended;
  const isBack = last?.by === 'itself' && msBetween(last.endedAt, at) <= waits.reopenWindow;
  if (!isBack) {
    const seed: AlertSeed = { ...seedOf(device, 'CONN_001', finding, { id: `loss ${at}`, fresh: [] }), lostAt: at };
    const open = { alertId: seed.alertId, since: raisedAt, spells: [at], overAt: backAt };
    const opened = { ...device, ended: others, open: { ...device.open, CONN_001: open } };
    return ordered({ ...step, device: opened }, { kind: 'open', seed, pastAt: raisedAt });
  }
  const { alertId } = last;
  const spells = spellsOf(last.spells, at, waits);
  const flapping = spells.length >= thresholds.flappingSpells;
  const reopenedAt = [...last.reopenedAt.filter((each) => msBetween(each, raisedAt) < waits.flappingWindow), raisedAt];
  // One that comes and goes stays open until it has been quiet, and people hear of that.
  const ends = flapping ? { flapping: { quietSince: backAt } } : { overAt: backAt };
  const open = { alertId, since: raisedAt, spells, ...ends };
  const returned = {
    ...device,
    ended: { ...others, CONN_001: { ...last, reopenedAt } },
    open: { ...device.open, CONN_001: open },
  };
  const past = flapping ? {} : { pastAt: raisedAt };
  const order = { kind: 'return', alertId, finding, flapping, notifyAfter: null, lostAt: at, ...past } as const;
  return ordered({ ...step, device: returned }, order);
}

/** The losses of a camera that still count, with the newest. */
export function spellsOf(known: readonly Instant[] = [], lostAt: Instant, { spellsWindow }: Waits): Instant[] {
  return [...known.filter((at) => msBetween(at, lostAt) <= spellsWindow), lostAt].slice(-thresholds.spellsKept);
}
