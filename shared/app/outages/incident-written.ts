import type { AlertChange } from '../../domain/alert/change.ts';
import { type Beside, decideIncident, type IncidentChange } from '../../domain/change/incident-decision.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { Instant } from '../../domain/time.ts';
import { put } from '../commit/commit.ts';
import { deliveryWakes, publicationWrites } from '../deliveries/wakes.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';

/** The inputs of a decision on an incident. */
export function givenAt({ now, waits }: World, at: Instant) {
  return { at, recordedAt: now(), waits };
}

/** A change of an incident as the writes of one commit and the wakes after it. */
export function incidentWrites(
  { incident, entry, ...published }: IncidentChange,
  stored: Stored<'incidents'> | null,
): { writes: Write[]; wakes: Wake[] } {
  const { incidentId: id, version, dueAt } = incident;
  const wakes: Wake[] = deliveryWakes(published.deliveries);
  if (dueAt) wakes.push({ in: 'incidents', id, version, dueAt });
  return {
    writes: [
      put('incidents', id, incident, stored),
      { kind: 'create', in: 'incidentAudit', id: entry.entryId, data: entry },
      ...publicationWrites(published),
    ],
    wakes,
  };
}

/** A change of an incident that no person requested. No change where it does not apply in the incident's state. */
export function incidentFact(
  world: World,
  incident: IncidentRecord,
  stored: Stored<'incidents'> | null,
  change: AlertChange,
  configuration: Configuration,
  at: Instant,
  beside: Beside = {},
): { writes: Write[]; wakes: Wake[] } {
  const outcome = decideIncident(incident, change, 'system', configuration, givenAt(world, at), beside);
  return outcome.kind === 'change' ? incidentWrites(outcome, stored) : { writes: [], wakes: [] };
}
