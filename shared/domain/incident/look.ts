import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween } from '../time.ts';
import type { IncidentRecord, Members } from './incident.ts';
import { isBack } from './scope.ts';

/** What is seen of an outage at a horizon: its place, and its members by group. */
export type Looked = { total: number; dark: number; byGroup: Record<string, Members> };

/** What a look finds: the incident with what is true now, and whether its place is back, or it is over. */
export type Seen = {
  incident: IncidentRecord;
  isBack: boolean;
  isOver: boolean;
  /** So much has changed that endpoints are told. */
  isNews: boolean;
};

/**
 * Looks at an outage: over when hardly a member is dark, or when its place has no longer been dark as a whole for a while, so that it hides no
 * fault of a single camera.
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
  const toldNow = incident.outage?.toldNow ?? 0;
  const isNews = Math.abs(members.now - toldNow) >= Math.max(1, thresholds.darkAtEnd * members.peak);
  const outage = incident.outage && { ...incident.outage, backSince, toldNow: isNews ? members.now : toldNow };
  return {
    incident: { ...incident, members, byGroup, outage },
    isBack: isPlaceBack,
    isOver: isPlaceBack && (isNearlyNone || isSettled),
    isNews,
  };
}

function sumOf(counts: readonly Members[]): Members {
  const sum = (member: keyof Members) => counts.reduce((all, each) => all + each[member], 0);
  return { now: sum('now'), peak: sum('peak'), back: sum('back') };
}

/** Whether one outage speaks for another: that of more devices, of two alike the one that was named first. */
export function isWider(one: IncidentRecord, other: IncidentRecord): boolean {
  const [a, b] = [one.outage?.size ?? 0, other.outage?.size ?? 0];
  return a === b ? one.incidentId < other.incidentId : a > b;
}
