import { isPeopleChannel } from '../../schema/channels.ts';
import { undoWindowMs } from '../limits.ts';
import { type RestoredRecord, stoodStill } from '../restored/restored.ts';
import { type Instant, later, msBetween, plus } from '../time.ts';
import type { Life, PausedAlert } from './alert.ts';
import type { Actor } from './change.ts';

/** The end of a response time that starts at `at`. Null where the alert has no response time. */
export function clockFrom(at: Instant, responseMs: number | null): Instant | null {
  return responseMs === null ? null : plus(at, responseMs);
}

/** While its incident notifies people, only the clocks of a snooze and of a maintenance window run. */
export const memberClocks: Partial<Life> = {
  respondBy: null,
  remindAt: null,
  notifyAfter: null,
  notifyTakenAt: null,
  quietUntil: null,
};

/** No look has anything to decide about it. */
export const judged: Partial<Life> = { awaitsLook: false, isJudged: true };

/** A life without a running clock, except that of a maintenance window. */
export const noClock: Partial<Life> = {
  snoozedUntil: null,
  isSnoozed: false,
  respondBy: null,
  remindAt: null,
  notifyAfter: null,
  notifyTakenAt: null,
  quietUntil: null,
};

/** An alert that is open again and that nobody has acknowledged. */
export const activeAgain: Partial<Life> = {
  status: 'active',
  isOpen: true,
  resolved: false,
  resolvedAt: null,
  resolution: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  notifyTakenAt: null,
  quietUntil: null,
  toldAt: null,
  escalatedAt: null,
  team: null,
  reminders: 0,
  step: null,
  paused: null,
  expireAt: null,
};

/** The members of an alert whose condition was seen once more. */
export function seen({ occurrences }: Life, now: Instant): Partial<Life> {
  return { occurrences: occurrences + 1, lastSeenAt: now };
}

/** The state of an alert when its condition ends, kept in case the condition returns soon. */
export function pausedAt(alert: Life, now: Instant): PausedAlert | null {
  const { status, acknowledgedAt, acknowledgedBy, escalatedAt, team, reminders, step = null, snoozedUntil } = alert;
  if (status === 'resolved') return null;
  const left = (at: Instant | null) => (at === null ? null : Math.max(0, msBetween(now, at)));
  // While it waits for the look no clock runs: what was left before stays.
  const clocks =
    alert.awaitsLook && alert.paused
      ? { respondInMs: alert.paused.respondInMs, remindInMs: alert.paused.remindInMs }
      : { respondInMs: left(alert.respondBy), remindInMs: left(alert.remindAt) };
  return { status, acknowledgedAt, acknowledgedBy, escalatedAt, team, reminders, step, snoozedUntil, ...clocks };
}

/**
 * The members of an alert whose condition is back: it keeps its acknowledgement and snooze, and its clocks continue with the time that was
 * left.
 */
export function goneOn(alert: Life, notifyAfter: Instant | null, now: Instant): Partial<Life> {
  const begun = {
    ...activeAgain,
    isMember: alert.isMember ?? false,
    respondBy: clockFrom(notifyAfter ?? now, alert.responseMs),
  };
  if (!alert.paused) return begun;
  const { respondInMs, remindInMs, snoozedUntil, ...stood } = alert.paused;
  if (snoozedUntil !== null && snoozedUntil > now) {
    return { ...begun, ...stood, paused: null, respondBy: null, snoozedUntil, isSnoozed: true };
  }
  const isWaiting = stood.status === 'active';
  const leftMs = respondInMs ?? alert.responseMs;
  const runsFor = alert.responseMs === null || leftMs === null ? null : Math.min(leftMs, alert.responseMs);
  const respondBy = isWaiting ? clockFrom(notifyAfter ?? now, runsFor) : null;
  return { ...begun, ...stood, paused: null, respondBy, remindAt: remindInMs === null ? null : plus(now, remindInMs) };
}

/** The clocks of an alert that waited for the look and stands alone: its response time begins, or continues with the time that was left. */
export function clocksAlone({ status, isSnoozed, responseMs, paused }: Life, now: Instant): Partial<Life> {
  const leftMs = paused?.respondInMs ?? responseMs;
  const runsFor = responseMs === null || leftMs === null ? null : Math.min(leftMs, responseMs);
  const respondBy = status === 'active' && !isSnoozed ? clockFrom(now, runsFor) : null;
  const remindInMs = paused?.remindInMs ?? null;
  return { respondBy, remindAt: remindInMs === null || isSnoozed ? null : plus(now, remindInMs), paused: null };
}

/** The members of an alert from before the database was restored: its clocks stood still, and what ended meanwhile by the clock ends later. */
export function afterLostTime(alert: Life, lost: Pick<RestoredRecord, 'asOf' | 'quietUntil'>): Partial<Life> {
  const { quietUntil: restoredUntil } = lost;
  // A restore that was cut off and goes on later moves only what it has not moved yet.
  const still = { ...lost, asOf: later(lost.asOf, alert.restoredUntil ?? lost.asOf) };
  const notBefore = (at: Instant | null) => (at === null ? null : later(at, restoredUntil));
  return {
    respondBy: stoodStill(alert.respondBy, still),
    remindAt: stoodStill(alert.remindAt, still),
    notifyAfter: stoodStill(alert.notifyAfter, still),
    notifyTakenAt: stoodStill(alert.notifyTakenAt ?? null, still),
    quietUntil: notBefore(alert.quietUntil ?? null),
    snoozedUntil: notBefore(alert.snoozedUntil),
    maintenanceUntil: notBefore(alert.maintenanceUntil),
    restoredUntil,
  };
}

/** When people are notified of an acknowledgement: once it can no longer be undone. Null where no person was notified of the alert. */
export function takenAt({ announcedAt, channels }: Life, now: Instant): Instant | null {
  const isKnown = announcedAt !== null && channels.some(isPeopleChannel);
  return isKnown ? plus(now, undoWindowMs) : null;
}

/**
 * The alert after it leaves its incident. It is active again, unless a person acknowledged the alert itself. A snooze stays, also one of the
 * incident.
 */
export function left(alert: Life, now: Instant): Partial<Life> {
  const isTheirs = alert.acknowledgedBy !== null && !isOfIncident(alert.acknowledgedBy);
  if (alert.status === 'acknowledged' && isTheirs) return { ...judged, isMember: false };
  const respondBy = alert.isSnoozed ? null : clockFrom(now, alert.responseMs);
  return { ...activeAgain, ...judged, isMember: false, respondBy };
}

/** The actor of a change to the members of an incident that follows from a person's action on the incident. */
export function memberActor(incidentId: string): Actor {
  return `incident:${incidentId}`;
}

/** Whether an incident did it to its members. */
export function isOfIncident(who: Actor): boolean {
  return who.startsWith('incident:');
}
