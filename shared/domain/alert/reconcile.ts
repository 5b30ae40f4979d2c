import type { AlertCode } from '../../schema/vocabulary.ts';
import type { Device, EndedAlert, OpenAlert } from '../device/device.ts';
import { lostAtOf } from '../device/presence.ts';
import { thresholds, type Waits } from '../limits.ts';
import { isSame } from '../same.ts';
import { earliest, type Instant, msBetween, plus } from '../time.ts';
import type { AlertSeed } from './alert.ts';
import { catalogue, isLoss } from './catalogue.ts';
import { type Condition, conditions, type Finding } from './conditions.ts';

import { withInformational } from './informational.ts';
import { type AlertOrder, type Cause, ordered, type ReconcileStep, seedOf } from './orders.ts';
import { pastLossDueAt, spellsOf, withLossesJudged, withPastLoss } from './past-losses.ts';

/** Compares the conditions of a device with its open alerts. Pure: the same facts, time and cause give the same orders. */
export function reconcile(device: Device, cause: Cause, now: Instant, waits: Waits): ReconcileStep {
  const horizon = device.horizonAt ?? '';
  const found = new Map(conditions.map((condition) => [condition.code, condition.holds(device, now, waits, horizon)]));
  let step: ReconcileStep = { device, orders: [] };
  for (const condition of conditions) {
    const isSuperseded = condition.supersededBy !== undefined && Boolean(found.get(condition.supersededBy));
    const finding = isSuperseded ? null : (found.get(condition.code) ?? null);
    const isSighting = condition.fact !== undefined && cause.fresh.includes(condition.fact);
    step = settle(step, { condition, finding, isSuperseded, isSighting, cause, now, waits });
  }
  step = withInformational(step, device, cause, now);
  step = withPastLoss({ ...step, device: withLossesJudged(device, step.device, now) }, cause, waits);
  const { device: after } = step;
  return {
    ...step,
    device: { ...after, dueAt: nextDue(after, now, waits), absentAt: nextAbsent(after, horizon, waits) },
  };
}

/** Whether a condition holds, and in what circumstances that is asked. */
type Evaluation = {
  condition: Condition;
  /** Null: the condition does not hold, or a graver one supersedes it. */
  finding: Finding | null;
  isSuperseded: boolean;
  /** Whether the cause is a report that carries the fact of the condition. */
  isSighting: boolean;
  cause: Cause;
  now: Instant;
  waits: Waits;
};

function settle(step: ReconcileStep, evaluation: Evaluation): ReconcileStep {
  const { condition, finding } = evaluation;
  const open = step.device.open[condition.code];
  // A camera that is lost does not reconnect, which makes its connection no better.
  if (open && !finding && condition.code === 'CONN_002' && step.device.open.CONN_001) return step;
  if (open?.overAt !== undefined) return ended(step, open, evaluation);
  if (open) return finding ? held(step, open, finding, evaluation) : quieted(step, open, evaluation);
  return finding ? begun(step, finding, evaluation) : ceased(step, evaluation);
}

/** The step for a condition that does not hold and has no open alert: the next time that it holds, an alert opens again. */
function ceased(step: ReconcileStep, evaluation: Evaluation): ReconcileStep {
  const { condition, isSuperseded } = evaluation;
  const last = step.device.ended[condition.code];
  // A superseded condition still holds, so what a person resolved stays resolved.
  if (!last || isSuperseded || !isResolvedByHand(last, evaluation)) return step;
  return hasCeased(step.device, last, evaluation)
    ? { ...step, device: without(step.device, 'ended', condition.code) }
    : step;
}

/** The step for a condition that holds and has no open alert. */
function begun(step: ReconcileStep, finding: Finding, evaluation: Evaluation): ReconcileStep {
  const { condition, now, waits } = evaluation;
  const last = step.device.ended[condition.code];
  if (last && isResolvedByHand(last, evaluation) && !hasCeased(step.device, last, evaluation)) {
    return goesOn(step, last, finding, evaluation);
  }
  // A loss counts from its own time: it is declared minutes later.
  const beganAt = isLoss(condition) ? lostAtOf(step.device, waits) : now;
  const isBack = last?.by === 'itself' && msBetween(last.endedAt, beganAt) <= waits.reopenWindow;
  return isBack ? returned(step, last, finding, evaluation) : opened(step, finding, evaluation);
}

function isResolvedByHand({ by }: EndedAlert, { condition }: Evaluation): boolean {
  return by === 'hand' && !condition.endsByHandOnly;
}

/** Whether a condition did not hold at some time since its alert ended. */
function hasCeased(device: Device, { endedAt }: EndedAlert, { condition, finding, waits }: Evaluation): boolean {
  return condition.heldNotAt?.(device, endedAt, waits) ?? !finding;
}

/**
 * The step for a condition that has held all the time since a person resolved its alert. Time alone does not reopen it: a camera that was taken down
 * for repair stays resolved until it has been online and is lost again.
 */
function goesOn(step: ReconcileStep, last: EndedAlert, finding: Finding, evaluation: Evaluation): ReconcileStep {
  const { isSighting, cause, waits } = evaluation;
  const seenAt = isSighting ? (cause.publishedAt ?? null) : null;
  if (seenAt === null || seenAt <= last.endedAt) return step;
  const worse = newMarks(last.marks, finding);
  if (worse.length > 0) return worsenedAgain(step, last, finding, worse, evaluation);
  return msBetween(last.endedAt, seenAt) < waits.manualMute ? step : opened(step, finding, evaluation);
}

/** The step for an open alert whose condition holds. */
function held(
  step: ReconcileStep,
  open: OpenAlert,
  finding: Finding,
  { condition, isSighting }: Evaluation,
): ReconcileStep {
  const { code } = condition;
  const marks = isSighting ? newMarks(open.marks, finding) : [];
  const next: OpenAlert = {
    ...open,
    ...(marks.length > 0 ? { marks: [...(open.marks ?? []), ...marks] } : {}),
    ...(open.reopened === 'ended' ? { reopened: 'began-anew' as const } : {}),
    ...(open.flapping ? { flapping: { quietSince: null } } : {}),
  };
  const known = isSame(next, open) ? step : withOpen(step, code, next);
  if (!isSighting) return known;
  const { alertId } = open;
  const isWorse = marks.length > 0;
  if (!isWorse && !condition.endsByHandOnly) return ordered(known, { kind: 'sight', alertId, finding: said(finding) });
  const why = isWorse ? worseBy(marks) : finding.message;
  return ordered(known, { kind: 'see', alertId, finding: said(finding), isWorse, why });
}

/** The step for an open alert whose condition does not hold: it ends, unless it flaps, a person reopened it, or only people end it. */
function quieted(step: ReconcileStep, open: OpenAlert, evaluation: Evaluation): ReconcileStep {
  const { condition, isSuperseded, now, waits } = evaluation;
  const { code, endsByHandOnly } = condition;
  if (endsByHandOnly) return step;
  if (isSuperseded) return ended(step, open, evaluation);
  if (open.reopened === 'waits') return withOpen(step, code, { ...open, reopened: 'ended' });
  if (open.reopened === 'ended') return step;
  if (open.flapping && open.flapping.quietSince === null) {
    return withOpen(step, code, { ...open, flapping: { quietSince: now } });
  }
  if (open.flapping?.quietSince && now < settledAt(code, open.flapping.quietSince, waits)) return step;
  return ended(step, open, evaluation);
}

/** Deterioration marks of an alert. Limited because an attacker may name many hosts, and each new one notifies people. */
const mostMarks = 20;

function newMarks(known: readonly string[] = [], { marks = [] }: Finding): string[] {
  return marks.filter((mark) => !known.includes(mark)).slice(0, Math.max(0, mostMarks - known.length));
}

function worseBy(marks: readonly string[]): string {
  return `It got worse: ${marks.join(', ')}`;
}

/** The message and context of a finding. */
function said({ message, context }: Finding): Finding {
  return { message, context };
}

function withOpen(step: ReconcileStep, code: AlertCode, open: OpenAlert): ReconcileStep {
  return { ...step, device: { ...step.device, open: { ...step.device.open, [code]: open } } };
}

/** Reopens an alert that a person resolved, because the condition got worse instead of only continuing. */
function worsenedAgain(
  step: ReconcileStep,
  { alertId, marks = [] }: EndedAlert,
  finding: Finding,
  worse: readonly string[],
  { condition: { code }, now }: Evaluation,
): ReconcileStep {
  const device = without(step.device, 'ended', code);
  const open: OpenAlert = { alertId, since: now, marks: [...marks, ...worse] };
  const order: AlertOrder = { kind: 'see', alertId, finding: said(finding), isWorse: true, why: worseBy(worse) };
  return ordered(withOpen({ ...step, device }, code, open), order);
}

/** Nobody is notified of the condition before this time, because a drift may heal. Null: people are notified at once. */
function heldUntil(code: AlertCode, now: Instant, waits: Waits): Instant | null {
  const { notifyGrace } = catalogue[code];
  return notifyGrace ? plus(now, waits[notifyGrace]) : null;
}

function opened(
  step: ReconcileStep,
  finding: Finding,
  { condition: { code }, cause, now, waits }: Evaluation,
): ReconcileStep {
  const snoozedUntil = step.device.snoozed[code] ?? null;
  const lostAt = isLoss({ code }) ? lostAtOf(step.device, waits) : null;
  const spells = lostAt === null ? {} : { spells: [lostAt] };
  const seed: AlertSeed = {
    ...seedOf(step.device, code, finding, cause),
    notifyAfter: heldUntil(code, now, waits),
    lostAt,
    ...(snoozedUntil !== null && snoozedUntil > now ? { snoozedUntil } : {}),
  };
  const device = without(step.device, 'ended', code);
  const { alertId } = seed;
  return ordered(withOpen({ ...step, device }, code, { alertId, since: now, ...marksOf(finding.marks), ...spells }), {
    kind: 'open',
    seed,
  });
}

function returned(
  step: ReconcileStep,
  last: EndedAlert,
  finding: Finding,
  { condition, now, waits }: Evaluation,
): ReconcileStep {
  const { code } = condition;
  const { alertId, marks = [] } = last;
  const reopenedAt = [...last.reopenedAt.filter((at) => msBetween(at, now) < waits.flappingWindow), now];
  const lostAt = isLoss({ code }) ? lostAtOf(step.device, waits) : null;
  const spells = lostAt && spellsOf(last.spells, lostAt, waits);
  const isFlapping = spells
    ? spells.length >= thresholds.flappingSpells
    : reopenedAt.length >= thresholds.flappingReturns;
  const reached = [...marks, ...newMarks(marks, finding)];
  const device: Device = { ...step.device, ended: { ...step.device.ended, [code]: { ...last, reopenedAt } } };
  const open: OpenAlert = {
    alertId,
    since: now,
    ...marksOf(reached),
    ...(spells ? { spells } : {}),
    ...(isFlapping ? { flapping: { quietSince: null } } : {}),
  };
  const notifyAfter = isFlapping ? null : heldUntil(code, now, waits);
  const order: AlertOrder = {
    kind: 'return',
    alertId,
    finding: said(finding),
    flapping: isFlapping,
    notifyAfter,
    lostAt,
  };
  return ordered(withOpen({ ...step, device }, code, open), order);
}

/** When an alert that flaps is over, if its condition has not held since `quietSince`. */
function settledAt(code: AlertCode, quietSince: Instant, { spellsQuiet, flappingQuiet }: Waits): Instant {
  return plus(quietSince, isLoss({ code }) ? spellsQuiet : flappingQuiet);
}

function marksOf(marks: string[] = []): { marks?: string[] } {
  return marks.length > 0 ? { marks } : {};
}

function ended(
  step: ReconcileStep,
  open: OpenAlert,
  { condition: { code }, isSuperseded, now }: Evaluation,
): ReconcileStep {
  const { device } = step;
  const { alertId, flapping, marks, spells = [], overAt } = open;
  const last = device.ended[code];
  // An alert that flapped has settled, so its earlier returns no longer count.
  const reopenedAt = last?.alertId === alertId && !flapping ? last.reopenedAt : [];
  const closed = without(device, 'open', code);
  const counted = spells.length > 0 && !flapping ? { spells } : {};
  const end: EndedAlert = { alertId, endedAt: overAt ?? now, by: 'itself', reopenedAt, ...marksOf(marks), ...counted };
  return ordered(
    { ...step, device: { ...closed, ended: { ...closed.ended, [code]: end } } },
    {
      kind: 'end',
      alertId,
      resolution: isSuperseded ? 'superseded' : 'automatic',
      why: isSuperseded
        ? 'A graver alert took its place'
        : flapping
          ? 'The condition has settled'
          : 'The condition ended',
      ...(overAt === undefined ? {} : { pastAt: overAt }),
    },
  );
}

function nextDue(device: Device, now: Instant, waits: Waits): Instant | null {
  const changes = conditions.flatMap((condition) => condition.changesAt?.(device, waits) ?? []);
  const settled = Object.entries(device.open).map(([code, { flapping }]) =>
    flapping?.quietSince ? settledAt(code as AlertCode, flapping.quietSince, waits) : null,
  );
  return earliest([...changes, ...settled].filter((at) => at !== null && at > now));
}

function nextAbsent(device: Device, horizon: Instant, waits: Waits): Instant | null {
  const changes = conditions.flatMap((condition) => condition.absentAt?.(device, waits) ?? []);
  return earliest([...changes.filter((at) => at !== null && at > horizon), pastLossDueAt(device, waits)]);
}

function without(device: Device, member: 'open' | 'ended', code: AlertCode): Device {
  const { [code]: _, ...rest } = device[member];
  return { ...device, [member]: rest };
}
