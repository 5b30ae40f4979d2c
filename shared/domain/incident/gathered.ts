import { thresholds, type Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import { everybody, type GatheredKind, type GatheringRecord, type IncidentRecord, type Members } from './incident.ts';

/** How many cameras a cause concerns now, in all and by group. */
export type Gathered = { now: number; byGroup: Record<string, number> };

/** Groups that an incident names: what concerns more concerns everybody. */
const mostGroups = 30;

/** At the first sweep of all, what began a while ago is looked at. */
export function newGathering(platformId: GatheredKind, horizon: Instant, waits: Waits): GatheringRecord {
  return { platformId, kind: 'gathering', upTo: plus(horizon, -waits.unreadableWindow), open: [] };
}

/** The incident with the members that it has now. Groups that it had are kept: they were concerned. */
export function withMembers(incident: IncidentRecord, { now, byGroup }: Gathered): IncidentRecord {
  const names = [...new Set([...Object.keys(incident.byGroup), ...Object.keys(byGroup)])].toSorted();
  const isEverybodys = incident.groups.includes(everybody) || names.length > mostGroups;
  const counted = names.map((name) => [name, grown(incident.byGroup[name], byGroup[name] ?? 0)]);
  return {
    ...incident,
    members: grown(incident.members, now),
    groups: isEverybodys ? [everybody] : names,
    byGroup: isEverybodys ? {} : Object.fromEntries(counted),
  };
}

function grown(before: Members | undefined, now: number): Members {
  const peak = Math.max(before?.peak ?? 0, now);
  return { now, peak, back: peak - now };
}

/** Hardly any of its members is left. */
export function isNearlyNone({ now, peak }: Members): boolean {
  return now === 0 || now < thresholds.darkAtEnd * peak;
}
