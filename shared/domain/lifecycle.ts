import type { AlertAction, AlertStatus } from '../schema/alert.ts';
import type { AlertRecord } from './alert.ts';
import { retention } from './limits.ts';
import { type Instant, plus } from './time.ts';

/** Who changed something: a token's subject, `device`, `system`, or `rule:<id>`. */
export type Actor = string;

/** What happens to an alert. Commands come from people and may be refused; facts come from devices and clocks and are ignored where they do not fit. */
export type AlertChange =
  | { kind: 'open' }
  | { kind: 'acknowledge'; comment?: string }
  | { kind: 'resolve'; comment?: string }
  | { kind: 'reopen'; comment?: string }
  | { kind: 'end'; resolution: 'automatic' | 'superseded'; why: string }
  | { kind: 'return'; why: string; flapping: boolean };

/** One line of the audit trail. Never changed; `changes` are the members it set, so that a trail replays to the state. */
export type AuditEntry = {
  entryId: string;
  alertId: string;
  deviceId: string;
  groupId: string;
  at: Instant;
  who: Actor;
  action: AlertChange['kind'];
  from: AlertStatus | null;
  to: AlertStatus;
  why: string | null;
  changes: Partial<AlertRecord>;
  expireAt: Instant;
};

export type LifecycleOutcome =
  | { kind: 'changed'; alert: AlertRecord; entry: AuditEntry }
  | { kind: 'unchanged' }
  | { kind: 'refused'; status: AlertStatus; availableActions: AlertAction[] };

/** The contract's table: what a person may do in each state. Viewing the history is possible in every state. */
const actions: Record<AlertStatus, AlertAction[]> = {
  active: ['acknowledge', 'resolve', 'snooze', 'view-history'],
  acknowledged: ['resolve', 'add-note', 'view-history'],
  escalated: ['acknowledge', 'resolve', 'view-history'],
  resolved: ['view-history', 'reopen'],
};

export function availableActions(status: AlertStatus): AlertAction[] {
  return actions[status];
}

/** Where each change leads from each state. `same`: its result already holds. A missing cell refuses a command and ignores a fact. */
const transitions: Record<Exclude<AlertChange['kind'], 'open'>, Partial<Record<AlertStatus, AlertStatus | 'same'>>> = {
  acknowledge: { active: 'acknowledged', escalated: 'acknowledged', acknowledged: 'same' },
  resolve: { active: 'resolved', acknowledged: 'resolved', escalated: 'resolved', resolved: 'same' },
  reopen: { resolved: 'active', active: 'same' },
  end: { active: 'resolved', acknowledged: 'resolved', escalated: 'resolved' },
  return: { resolved: 'active' },
};

const facts: ReadonlySet<AlertChange['kind']> = new Set(['open', 'end', 'return']);

/** Decides what a change does to an alert: the next alert with its audit entry, nothing, or a refusal with what is possible instead. */
export function decideAlert(alert: AlertRecord, change: AlertChange, who: Actor, now: Instant): LifecycleOutcome {
  if (change.kind === 'open') return changed(alert, change, who, now, null, opened(alert, now));
  const to = transitions[change.kind][alert.status];
  if (to === 'same') return { kind: 'unchanged' };
  if (to === undefined) {
    if (facts.has(change.kind)) return { kind: 'unchanged' };
    return { kind: 'refused', status: alert.status, availableActions: availableActions(alert.status) };
  }
  return changed(alert, change, who, now, alert.status, changesOf(alert, change, who, now));
}

/** An alert that needs no action is resolved at birth. */
function opened(alert: AlertRecord, now: Instant): Partial<AlertRecord> {
  if (alert.severity !== 'INFO') return { status: 'active' };
  return { ...resolvedBy('automatic', alert.timestamp), expireAt: plus(now, retention.resolvedAlert) };
}

function changesOf(
  alert: AlertRecord,
  change: Exclude<AlertChange, { kind: 'open' }>,
  who: Actor,
  now: Instant,
): Partial<AlertRecord> {
  switch (change.kind) {
    case 'acknowledge':
      return {
        status: 'acknowledged',
        acknowledgedAt: now,
        acknowledgedBy: who,
        snoozedUntil: null,
        isSnoozed: false,
        dueAt: null,
      };
    case 'resolve':
      return { ...resolvedBy('manual', now), expireAt: plus(now, retention.resolvedAlert) };
    case 'end':
      return { ...resolvedBy(change.resolution, now), expireAt: plus(now, retention.resolvedAlert) };
    case 'reopen':
      return activeAgain;
    case 'return':
      return { ...activeAgain, occurrences: alert.occurrences + 1, lastSeenAt: now, flapping: change.flapping };
    default:
      return change satisfies never;
  }
}

function resolvedBy(resolution: 'manual' | 'automatic' | 'superseded', at: Instant): Partial<AlertRecord> {
  return {
    status: 'resolved',
    isOpen: false,
    resolved: true,
    resolvedAt: at,
    resolution,
    snoozedUntil: null,
    isSnoozed: false,
    dueAt: null,
  };
}

const activeAgain: Partial<AlertRecord> = {
  status: 'active',
  isOpen: true,
  resolved: false,
  resolvedAt: null,
  resolution: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  escalatedAt: null,
  expireAt: null,
};

function changed(
  alert: AlertRecord,
  change: AlertChange,
  who: Actor,
  now: Instant,
  from: AlertStatus | null,
  changes: Partial<AlertRecord>,
): LifecycleOutcome {
  const version = alert.version + 1;
  const next = { ...alert, ...changes, version };
  const entry: AuditEntry = {
    entryId: `${alert.alertId}-${String(version).padStart(6, '0')}`,
    alertId: alert.alertId,
    deviceId: alert.deviceId,
    groupId: alert.groupId,
    at: now,
    who,
    action: change.kind,
    from,
    to: next.status,
    why: 'why' in change ? change.why : 'comment' in change ? (change.comment ?? null) : null,
    changes: { ...(from === null ? next : changes), version },
    expireAt: plus(now, retention.audit),
  };
  return { kind: 'changed', alert: next, entry };
}
