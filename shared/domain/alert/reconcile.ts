import { v5 as uuidv5 } from 'uuid';
import type { AlertContext } from '../../schema/alert/alert.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import type { FactName } from '../device/absorb.ts';
import { type Device, type EndedAlert, nameOf } from '../device/device.ts';
import { thresholds, type Waits } from '../limits.ts';
import { earliest, type Instant, msBetween, plus, spell } from '../time.ts';
import type { AlertSeed } from './alert.ts';
import { catalogue, lastingCodes } from './catalogue.ts';
import type { Condition, Finding } from './conditions/condition.ts';
import { connectivityContext, resourceContext } from './conditions/context.ts';
import { conditions } from './conditions.ts';

/** What shall happen to the alerts of a device. */
export type AlertOrder =
  | { kind: 'open'; seed: AlertSeed }
  | { kind: 'sight'; alertId: string; finding: Finding }
  | { kind: 'return'; alertId: string; finding: Finding; flapping: boolean; notifyAfter: Instant | null }
  | { kind: 'end'; alertId: string; resolution: 'automatic' | 'superseded'; why: string };

/** What made us look: names the alerts that it opens, so that the same cause opens the same alert. */
export type Cause = {
  id: string;
  fresh: readonly FactName[];
  /** An informational alert that the cause is by itself. */
  informational?: { code: AlertCode; message: string };
};

type Step = { device: Device; orders: AlertOrder[] };

/** Namespace of alert ids: the same device, code and cause give the same id. */
const alertNamespace = '6f3c5ad2-9a0e-5a53-8c55-1d0f6c1f2b77';

/** Holds the conditions of a device against its open alerts. Pure: the same facts, time and cause give the same orders. */
export function reconcile(device: Device, cause: Cause, now: Instant, waits: Waits): Step {
  const horizon = device.horizonAt ?? '';
  const found = new Map(conditions.map((condition) => [condition.code, condition.holds(device, now, waits, horizon)]));
  let step: Step = { device, orders: [] };
  for (const condition of conditions) {
    const finding = found.get(condition.code) ?? null;
    const isSuperseded = condition.supersededBy !== undefined && Boolean(found.get(condition.supersededBy));
    step = settle(step, condition, isSuperseded ? null : finding, isSuperseded, cause, now, waits);
  }
  step = withInformational(step, device, cause, now);
  const { device: after } = step;
  return {
    ...step,
    device: { ...after, dueAt: nextDue(after, now, waits), absentAt: nextAbsent(after, horizon, waits) },
  };
}

function settle(
  step: Step,
  condition: Condition,
  finding: Finding | null,
  isSuperseded: boolean,
  cause: Cause,
  now: Instant,
  waits: Waits,
): Step {
  const { device } = step;
  const { code } = condition;
  const open = device.open[code];
  if (open && finding) {
    const isSighting = condition.fact !== undefined && cause.fresh.includes(condition.fact);
    return isSighting ? ordered(step, { kind: 'sight', alertId: open.alertId, finding }) : step;
  }
  if (open) return condition.endsByHandOnly ? step : ended(step, code, isSuperseded, now);
  const last = device.ended[code];
  const isMuted = last?.by === 'hand' && !condition.endsByHandOnly;
  // A superseded condition holds still, so its mute stands.
  if (!finding) return isMuted && !isSuperseded ? { ...step, device: without(device, 'ended', code) } : step;
  if (isMuted && msBetween(last.endedAt, now) < waits.manualMute) return step;
  if (last?.by === 'itself' && msBetween(last.endedAt, now) <= waits.reopenWindow) {
    return returned(step, code, last, finding, now, waits);
  }
  return opened(step, code, finding, cause, now, waits);
}

/** Until when nobody is notified that a condition began: a drift may heal, one that flaps may settle. Null: at once. */
function heldUntil(code: AlertCode, flapping: boolean, now: Instant, waits: Waits): Instant | null {
  if (flapping) return plus(now, waits.flappingQuiet);
  const { notifyGrace } = catalogue[code];
  return notifyGrace ? plus(now, waits[notifyGrace]) : null;
}

function opened(step: Step, code: AlertCode, finding: Finding, cause: Cause, now: Instant, waits: Waits): Step {
  const seed = { ...seedOf(step.device, code, finding, cause), notifyAfter: heldUntil(code, false, now, waits) };
  const device = without(step.device, 'ended', code);
  return ordered(
    { ...step, device: { ...device, open: { ...device.open, [code]: { alertId: seed.alertId, since: now } } } },
    { kind: 'open', seed },
  );
}

function returned(step: Step, code: AlertCode, last: EndedAlert, finding: Finding, now: Instant, waits: Waits): Step {
  const { device } = step;
  const reopenedAt = [...last.reopenedAt.filter((at) => msBetween(at, now) < waits.flappingWindow), now];
  const next: Device = {
    ...device,
    open: { ...device.open, [code]: { alertId: last.alertId, since: now } },
    ended: { ...device.ended, [code]: { ...last, reopenedAt } },
  };
  const flapping = reopenedAt.length >= thresholds.flappingReturns;
  const notifyAfter = heldUntil(code, flapping, now, waits);
  return ordered({ ...step, device: next }, { kind: 'return', alertId: last.alertId, finding, flapping, notifyAfter });
}

function ended(step: Step, code: AlertCode, isSuperseded: boolean, now: Instant): Step {
  const { device } = step;
  const alertId = device.open[code]?.alertId ?? '';
  const last = device.ended[code];
  const reopenedAt = last?.alertId === alertId ? last.reopenedAt : [];
  const closed = without(device, 'open', code);
  return ordered(
    {
      ...step,
      device: { ...closed, ended: { ...closed.ended, [code]: { alertId, endedAt: now, by: 'itself', reopenedAt } } },
    },
    {
      kind: 'end',
      alertId,
      resolution: isSuperseded ? 'superseded' : 'automatic',
      why: isSuperseded ? 'A graver alert took its place' : 'The condition ended',
    },
  );
}

const resourceCodes = lastingCodes('resource');

/** Informational alerts: the cause itself may be one, and the end of other alerts makes them. */
function withInformational(step: Step, before: Device, cause: Cause, now: Instant): Step {
  const { open } = step.device;
  const found: { code: AlertCode; message: string; context: AlertContext }[] = [];
  if (before.open.CONN_001 && !open.CONN_001) {
    const message = `Connection restored: the alert was open for ${spell(msBetween(before.open.CONN_001.since, now))}`;
    found.push({ code: 'CONN_004', message, context: connectivityContext(step.device) });
  }
  if (cause.informational) found.push({ ...cause.informational, context: {} });
  if (resourceCodes.some((code) => before.open[code]) && !resourceCodes.some((code) => open[code])) {
    found.push({
      code: 'RES_004',
      message: 'Resource usage normalized: no resource alert is open',
      context: resourceContext(step.device),
    });
  }
  return found.reduce((next, { code, ...finding }) => {
    return ordered(next, { kind: 'open', seed: seedOf(step.device, code, finding, cause) });
  }, step);
}

function nextDue(device: Device, now: Instant, waits: Waits): Instant | null {
  const changes = conditions.flatMap((condition) => condition.changesAt?.(device, waits) ?? []);
  const mutes = Object.values(device.ended).map((last) =>
    last.by === 'hand' ? plus(last.endedAt, waits.manualMute) : null,
  );
  return earliest([...changes, ...mutes].filter((at) => at !== null && at > now));
}

function nextAbsent(device: Device, horizon: Instant, waits: Waits): Instant | null {
  const changes = conditions.flatMap((condition) => condition.absentAt?.(device, waits) ?? []);
  return earliest(changes.filter((at) => at !== null && at > horizon));
}

function seedOf(device: Device, code: AlertCode, finding: Finding, cause: Cause): AlertSeed {
  const { deviceId, groupId } = device;
  const alertId = uuidv5(JSON.stringify([deviceId, code, cause.id]), alertNamespace);
  const deviceName = nameOf(device);
  return { alertId, deviceId, deviceName, groupId, code, message: finding.message, context: finding.context };
}

function ordered(step: Step, order: AlertOrder): Step {
  return { ...step, orders: [...step.orders, order] };
}

function without(device: Device, member: 'open' | 'ended', code: AlertCode): Device {
  const { [code]: _, ...rest } = device[member];
  return { ...device, [member]: rest };
}
