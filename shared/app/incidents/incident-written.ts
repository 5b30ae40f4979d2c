import type { AlertChange } from '../../domain/alert/change.ts';
import {
  type Beside,
  decideIncident,
  type IncidentAct,
  type IncidentChange,
} from '../../domain/change/incident-decision.ts';
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

/** The writes of one commit and the wakes after it. */
export type Work = { writes: Write[]; wakes: Wake[] };
/** An incident after a change, with the writes of one commit and the wakes after it. */
export type IncidentWritten = Work & { incident: IncidentRecord };

/** A change of an incident as the writes of one commit and the wakes after it. */
export function incidentWrites(change: IncidentChange, stored: Stored<'incidents'> | null): Work {
  const { incidentId: id, version, dueAt } = change.incident;
  const { writes, wakes } = besideWrites(change);
  if (dueAt) wakes.push({ in: 'incidents', id, version, dueAt });
  return { writes: [put('incidents', id, change.incident, stored), ...writes], wakes };
}

/** Everything that a change writes except the incident. */
function besideWrites({ entry, ...published }: IncidentChange): Work {
  const line: Write = { kind: 'create', in: 'incidentAudit', id: entry.entryId, data: entry };
  return { writes: [line, ...publicationWrites(published)], wakes: deliveryWakes(published.deliveries) };
}

/** A change of an incident, at a time. `stored`: the record that the incident replaces. Null: it is new. */
export type IncidentFact = {
  incident: IncidentRecord;
  stored: Stored<'incidents'> | null;
  change: AlertChange;
  configuration: Configuration;
  at: Instant;
};

/**
 * A change of an incident that no person requested. No writes where it does not apply in the incident's state.
 * @param then what follows at once, by the person who did it before
 */
export function incidentFact(
  world: World,
  { incident, stored, change, configuration, at }: IncidentFact,
  beside: Beside = {},
  then: IncidentAct | null = null,
): IncidentWritten {
  const given = givenAt(world, at);
  const outcome = decideIncident(incident, { change, who: 'system' }, configuration, given, beside);
  if (outcome.kind !== 'change') return { incident, writes: [], wakes: [] };
  const next = then && decideIncident(outcome.incident, then, configuration, given);
  if (next?.kind !== 'change') return { incident: outcome.incident, ...incidentWrites(outcome, stored) };
  const [first, last] = [besideWrites(outcome), incidentWrites(next, stored)];
  return {
    incident: next.incident,
    writes: [...first.writes, ...last.writes],
    wakes: [...first.wakes, ...last.wakes],
  };
}
