import { everybody } from '../event/event.ts';
import { thresholds, type Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import type { GatheredKind, GatheringRecord, IncidentRecord, Members } from './incident.ts';

/** How many cameras a cause affects now, in total and per group. */
export type Gathered = { now: number; byGroup: Record<string, number> };

/** Groups that an incident names. With more, it concerns everybody. */
const mostGroups = 30;

/** The first sweep ever also looks at what began some time before it. */
export function newGathering(platformId: GatheredKind, horizon: Instant, waits: Waits): GatheringRecord {
  return { platformId, kind: 'gathering', upTo: plus(horizon, -waits.unreadableWindow), open: [] };
}

/** The incident with its present members. Earlier groups stay, because they were affected. */
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

/** Almost none of its members remain. */
export function isNearlyNone({ now, peak }: Members): boolean {
  return now === 0 || now < thresholds.darkAtEnd * peak;
}
