import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween } from '../time.ts';
import type { IncidentRecord, Members } from './incident.ts';
import { isBack } from './scope.ts';

/** The state of an outage at a horizon: its place, and its members by group. */
export type Looked = { total: number; dark: number; byGroup: Record<string, Members> };

/** The result of an evaluation: the incident with its present counts, whether its place is back, and whether it is over. */
export type Seen = {
  incident: IncidentRecord;
  isBack: boolean;
  isOver: boolean;
  /** The counts changed enough for an event to endpoints. */
  isNews: boolean;
};

/**
 * Evaluates an outage. It is over when its place is no longer dark as a whole, and either almost no member is dark or the place has been back for a
 * while: a longer outage would hide the fault of a single camera.
 */
export function lookAtOutage(
  incident: IncidentRecord,
  { total, dark, byGroup }: Looked,
  horizon: Instant,
  waits: Waits,
): Seen {
  const members = sumOf(Object.values(byGroup));
  const place = { total, dark };
  const isPlaceBack = isBack(place);
  const backSince = isPlaceBack ? (incident.outage?.backSince ?? horizon) : null;
  const isSettled = backSince !== null && msBetween(backSince, horizon) >= waits.outageSettle;
  const isNearlyNone = members.now < thresholds.darkAtEnd * members.peak || members.now === 0;
  const announcedCount = incident.outage?.announcedCount ?? 0;
  const isNews = Math.abs(members.now - announcedCount) >= Math.max(1, thresholds.darkAtEnd * members.peak);
  const outage = incident.outage && {
    ...incident.outage,
    backSince,
    announcedCount: isNews ? members.now : announcedCount,
  };
  return {
    incident: { ...incident, ...keptQuiet(incident, members, horizon), members, byGroup, outage },
    isBack: isPlaceBack,
    isOver: isPlaceBack && (isNearlyNone || isSettled),
    isNews,
  };
}

/** If a maintenance window silences the incident and members have joined, evaluates it again: the window may not cover the new ones. */
function keptQuiet(
  { maintenanceUntil, dueAt, members }: IncidentRecord,
  { peak }: Members,
  at: Instant,
): Pick<IncidentRecord, 'maintenanceUntil' | 'dueAt'> {
  const isAsked = maintenanceUntil !== null && peak > members.peak;
  return isAsked ? { maintenanceUntil: at, dueAt: at } : { maintenanceUntil, dueAt };
}

function sumOf(counts: readonly Members[]): Members {
  const sum = (member: keyof Members) => counts.reduce((all, each) => all + each[member], 0);
  return { now: sum('now'), peak: sum('peak'), back: sum('back') };
}

/** Whether one outage represents another: the one with more devices, or of two equal ones the one with the lower id. */
export function isWider(one: IncidentRecord, other: IncidentRecord): boolean {
  const [a, b] = [one.outage?.size ?? 0, other.outage?.size ?? 0];
  return a === b ? one.incidentId < other.incidentId : a > b;
}
