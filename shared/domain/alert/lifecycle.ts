import { urgencyOf } from '../../schema/alert/urgency.ts';
import type { AlertAction, AlertStatus } from '../../schema/vocabulary.ts';
import { retention } from '../limits.ts';
import type { Hold } from '../maintenance/window.ts';
import type { EscalationMove } from '../settings/escalation.ts';
import { type Instant, plus } from '../time.ts';
import { mayUndo, undoFor } from '../undo.ts';
import type { AlertRecord, AlertUndo, Life, NotifiedReceiver, UnusedChannel } from './alert.ts';
import { isLoss } from './catalogue.ts';
import { type Actor, type AlertChange, availableActions, transitions } from './change.ts';
import { dueOf } from './due.ts';
import {
  activeAgain,
  afterLostTime,
  clockFrom,
  clocksAlone,
  goneOn,
  judged,
  left,
  memberClocks,
  noClock,
  pausedAt,
  seen,
  takenAt,
} from './resumed.ts';

/** One line of an audit trail. It never changes. `changes` holds the members that it set, so that replaying the trail gives the state. */
export type TrailLine<Record extends Life> = {
  at: Instant;
  /** Time of the commit. `at` can be much earlier, when the report was delayed. */
  recordedAt: Instant;
  who: Actor;
  action: AlertChange['kind'];
  from: AlertStatus | null;
  to: AlertStatus;
  why: string | null;
  changes: Partial<Record>;
  /** Who was notified of this change, and who was not, with the reason. */
  notified: NotifiedReceiver[];
  notNotified: UnusedChannel[];
  expireAt: Instant;
};

export type AuditEntry = TrailLine<AlertRecord> & {
  entryId: string;
  alertId: string;
  deviceId: string;
  groupId: string;
};

export type NoChange =
  | { kind: 'unchanged' }
  | { kind: 'refused'; status: AlertStatus; availableActions: AlertAction[] };
export type LifecycleOutcome = { kind: 'changed'; alert: AlertRecord; entry: AuditEntry } | NoChange;
export type LifeOutcome<Record extends Life> = { kind: 'changed'; record: Record; line: TrailLine<Record> } | NoChange;

/**
 * Decides what a change does to an alert: the changed alert with its entry, no change, or a refusal with the possible actions.
 * @param hold the maintenance window that silences the alert now: an open alert then runs no clock
 */
export function decideAlert(
  alert: AlertRecord,
  change: AlertChange,
  who: Actor,
  now: Instant,
  hold: Hold | null = null,
): LifecycleOutcome {
  const seeded = change.kind === 'open' ? { ...alert, urgency: urgencyOf(alert, change.plan.priority) } : alert;
  const outcome = decideLife(seeded, change, who, now, hold);
  if (outcome.kind !== 'changed') return outcome;
  const { alertId, deviceId, groupId } = alert;
  const isLetGo = change.kind === 'maintenance-end' && isLoss(alert) && !alert.isMember;
  const { record, line } = isLetGo ? letGo(outcome) : outcome;
  const entryId = entryIdOf(alertId, record.version);
  return { kind: 'changed', alert: record, entry: { entryId, alertId, deviceId, groupId, ...line } };
}

/** A loss that a window kept quiet may be part of an outage. */
function letGo({ record, line }: { record: AlertRecord; line: TrailLine<AlertRecord> }) {
  const isJudged = false;
  return { record: { ...record, isJudged }, line: { ...line, changes: { ...line.changes, isJudged } } };
}

/** Entries sort by the version that they created. */
export function entryIdOf(id: string, version: number): string {
  return `${id}-${String(version).padStart(6, '0')}`;
}

/** The same for any record with such a life. */
export function decideLife<Record extends Life>(
  alert: Record,
  change: AlertChange,
  who: Actor,
  now: Instant,
  hold: Hold | null = null,
): LifeOutcome<Record> {
  if (change.kind === 'open') return changed(alert, change, who, now, inMaintenance(opened(alert, change, now), hold));
  const to = transitions[change.kind][alert.status];
  if (to === 'same' || holdsAlready(alert, change)) return { kind: 'unchanged' };
  if (to === undefined || !isInTime(alert, change, who, now)) {
    return { kind: 'refused', status: alert.status, availableActions: availableActions(alert.status) };
  }
  return changed(alert, change, who, now, inMaintenance(changesOf(alert, change, who, now), hold));
}

function holdsAlready(alert: Life, change: AlertChange): boolean {
  if (change.kind === 'unsnooze') return alert.status === 'active' && alert.snoozedUntil === null;
  return change.kind === 'snooze' && alert.status === 'active' && alert.snoozedUntil === change.until;
}

/** An alert that needs no action is resolved when it is opened. */
function opened(alert: Life, { plan, responseMs }: AlertChange & { kind: 'open' }, now: Instant): Partial<Life> {
  const planned: Partial<Life> = plan;
  if (alert.severity === 'INFO') {
    return { ...planned, ...resolvedBy('automatic', alert.timestamp), expireAt: plus(now, retention.resolvedAlert) };
  }
  const runs = plan.channelsBy === 'suppressed' ? null : responseMs;
  if (alert.snoozedUntil !== null) return { ...planned, status: 'active', responseMs: runs, respondBy: null };
  const respondBy = alert.awaitsLook ? null : clockFrom(alert.notifyAfter ?? now, runs);
  return { ...planned, status: 'active', responseMs: runs, respondBy };
}

type LaterChange = Exclude<AlertChange, { kind: 'open' }>;

function changesOf(alert: Life, change: LaterChange, who: Actor, now: Instant): Partial<Life> {
  switch (change.kind) {
    case 'acknowledge':
      return acknowledged(alert, change, who, now);
    case 'resolve':
      return closed(change, who, now);
    case 'end':
      return {
        ...resolvedBy(change.resolution, now),
        ...('leftBy' in change ? { leftBy: change.leftBy } : {}),
        paused: pausedAt(alert, now),
        expireAt: plus(now, retention.resolvedAlert),
      };
    case 'reopen':
      return { ...activeAgain, isMember: alert.isMember ?? false, respondBy: clockFrom(now, alert.responseMs) };
    case 'see':
      return seen(alert, now);
    case 'worsen':
      return worsened(alert, now);
    case 'return':
      return backAgain(alert, change, now);
    case 'snooze':
      return { ...noClock, snoozedUntil: change.until, isSnoozed: true, undo: undoOf(alert, change.kind, who, now) };
    case 'unacknowledge':
      return { acknowledgedAt: null, acknowledgedBy: null, notifyTakenAt: null, ...alert.undo?.before };
    case 'unsnooze':
      return { ...alert.undo?.before };
    case 'snooze-end':
      return { snoozedUntil: null, isSnoozed: false, respondBy: clockFrom(now, alert.responseMs) };
    case 'maintenance-end':
      return afterMaintenance(alert, change.escalated, now);
    case 'stand-still':
      return afterLostTime(alert, change.lost);
    case 'announce':
      return announced(alert, change, now);
    case 'quiet-end':
      return { quietUntil: null, ...change.escalated };
    case 'announce-taken':
      return { notifyTakenAt: null };
    case 'join':
      return { ...judged, isMember: true, loneOf: null, paused: null };
    case 'leave':
      return { ...left(alert, now), loneOf: change.loneOf ?? null };
    case 'escalate':
      return escalated(alert, change, now);
    case 'remind':
      return { reminders: alert.reminders + 1, ...takenOf(change) };
    case 'add-note':
    case 'update':
    case 'widen':
    case 'recover':
    case 'maintain':
      return {};
    default:
      return change satisfies never;
  }
}

function acknowledged(
  alert: Life,
  { since }: AlertChange & { kind: 'acknowledge' },
  who: Actor,
  now: Instant,
): Partial<Life> {
  const taken = { status: 'acknowledged', acknowledgedAt: since ?? now, acknowledgedBy: who } as const;
  if (since !== undefined) return { ...taken, ...noClock, notifyTakenAt: null };
  return { ...taken, undo: undoOf(alert, 'acknowledge', who, now), ...noClock, notifyTakenAt: takenAt(alert, now) };
}

function announced(alert: Life, { loneOf = null }: AlertChange & { kind: 'announce' }, now: Instant): Partial<Life> {
  return { notifyAfter: null, ...(alert.awaitsLook ? { ...judged, loneOf, ...clocksAlone(alert, now) } : {}) };
}

/** Takes a step of the escalation, with no reminder yet. Of its clocks only `remindAt` and quiet hours then run. */
function escalated(
  { quietUntil = null, status, escalatedAt, reminders }: Life,
  change: AlertChange & { kind: 'escalate' },
  now: Instant,
): Partial<Life> {
  const since = status === 'escalated' ? escalatedAt : now;
  const anew = reminders > 0 ? { reminders: 0 } : {};
  return { ...noClock, quietUntil, status: 'escalated', escalatedAt: since, ...anew, ...takenOf(change) };
}

function takenOf({ team, step, remindAt }: EscalationMove): Partial<Life> {
  return { team, step, remindAt };
}

function closed({ comment }: { comment?: string }, who: Actor, now: Instant): Partial<Life> {
  const closing = { by: who, comment: comment ?? null };
  return { ...resolvedBy('manual', now), closing, paused: null, expireAt: plus(now, retention.resolvedAlert) };
}

function resolvedBy(resolution: NonNullable<Life['resolution']>, at: Instant): Partial<Life> {
  return {
    ...noClock,
    ...judged,
    maintenanceUntil: null,
    status: 'resolved',
    isOpen: false,
    resolved: true,
    resolvedAt: at,
    resolution,
  };
}

function backAgain(
  alert: Life,
  { flapping, notifyAfter, awaitsLook = false }: AlertChange & { kind: 'return' },
  now: Instant,
): Partial<Life> {
  const waits: Partial<Life> = awaitsLook
    ? { awaitsLook, isJudged: false, isMember: false, respondBy: null, remindAt: null, paused: alert.paused }
    : {};
  return { ...goneOn(alert, notifyAfter, now), ...seen(alert, now), flapping, notifyAfter, ...waits };
}

function worsened(alert: Life, now: Instant): Partial<Life> {
  const isBack = alert.status === 'resolved';
  const again = isBack ? { ...activeAgain, respondBy: clockFrom(now, alert.responseMs) } : {};
  return { ...again, ...seen(alert, now), worsenedAt: now };
}

function changed<Record extends Life>(
  alert: Record,
  change: AlertChange,
  who: Actor,
  now: Instant,
  given: Partial<Life>,
): LifeOutcome<Record> {
  const from = change.kind === 'open' ? null : alert.status;
  const changes = (given.isMember ?? alert.isMember) ? { ...given, ...memberClocks } : given;
  const version = alert.version + 1;
  // A note, a new text or a wider extent of an incident does not affect an earlier action. After any other change nothing is left to undo.
  const isBeside =
    change.kind === 'add-note' || change.kind === 'update' || change.kind === 'widen' || change.kind === 'recover';
  const undo = changes.undo ?? (isBeside ? alert.undo : null);
  const merged = { ...alert, ...changes, undo, version };
  const dueAt = dueOf(merged);
  const isMaintained = merged.maintenanceUntil !== null;
  const next: Record = { ...merged, dueAt, isMaintained };
  const line: TrailLine<Record> = {
    at: now,
    recordedAt: now,
    who,
    action: change.kind,
    from,
    to: next.status,
    why: whyOf(change),
    changes: { ...(from === null ? next : (changes as Partial<Record>)), undo, dueAt, isMaintained, version },
    notified: [],
    notNotified: [],
    expireAt: plus(now, retention.audit),
  };
  return { kind: 'changed', record: next, line };
}

function whyOf(change: AlertChange): string | null {
  if ('why' in change) return change.why;
  if (change.kind === 'add-note') return change.text;
  return 'comment' in change ? (change.comment ?? null) : null;
}

/** Rebuilds an alert from its trail, oldest entry first. */
export function replay(entries: readonly AuditEntry[]): AlertRecord {
  return Object.assign({}, ...entries.map(({ changes }) => changes)) as AlertRecord;
}

/** What is needed to undo an acknowledgement or a snooze: the state and the clock before it. */
function undoOf(alert: Life, action: AlertUndo['action'], who: Actor, now: Instant): AlertUndo {
  const { status, snoozedUntil, isSnoozed, respondBy, remindAt, notifyAfter, quietUntil = null } = alert;
  const before = { status, snoozedUntil, isSnoozed, respondBy, remindAt, notifyAfter, quietUntil };
  return { ...undoFor(who, now), action, before };
}

/** Whether an undo is allowed: of the last action, by the person who did it, in time. Any other change always is. */
function isInTime({ undo }: Pick<Life, 'undo'>, change: AlertChange, who: Actor, now: Instant): boolean {
  if (change.kind !== 'unacknowledge' && change.kind !== 'unsnooze') return true;
  return change.kind === `un${undo?.action}` && mayUndo(undo, who, now);
}

/**
 * The members that a change sets during a maintenance window: the change is recorded and no clock runs. An alert that is over has no clock
 * anyway.
 */
function inMaintenance(changes: Partial<Life>, hold: Hold | null): Partial<Life> {
  if (hold === null || changes.status === 'resolved') return changes;
  const { windowId: maintenance, until: maintenanceUntil } = hold;
  const noClock = { respondBy: null, remindAt: null, notifyAfter: null, notifyTakenAt: null, quietUntil: null };
  return { ...changes, maintenance, maintenanceUntil, ...noClock };
}

/**
 * The members of an alert that is still open when maintenance ends. Active and not snoozed: its response time starts. Escalated: its present step is
 * taken again (`escalated`).
 */
function afterMaintenance(alert: Life, escalated: EscalationMove | null, now: Instant): Partial<Life> {
  const isWaiting = alert.status === 'active' && alert.snoozedUntil === null;
  const respondBy = isWaiting ? clockFrom(now, alert.responseMs) : null;
  return { maintenanceUntil: null, respondBy, ...(escalated ?? { remindAt: null }) };
}
