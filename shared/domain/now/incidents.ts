import { everybody } from '../event/event.ts';
import { type IncidentRecord, isPartly, toWireIncident, type View } from '../incident/incident.ts';
import type { Cause } from './cause.ts';

/** Whether an incident needs somebody. */
export function isCauseOfAll({ isOpen, isSnoozed, isMaintained, joinedTo, severity }: IncidentRecord): boolean {
  return isOpen && !isSnoozed && !isMaintained && joinedTo === null && severity !== 'INFO';
}

/** An incident as a cause, with what the viewer may see of it. */
export function causeOfIncident(record: IncidentRecord, view: View): Cause {
  const seen = toWireIncident(record, view);
  const { incidentId: id, severity, kind, title, scope, startedAt, members } = seen;
  const { status, respondBy, escalatedAt, acknowledgedBy, team, priority } = seen;
  const life = { status, timestamp: startedAt, respondBy, escalatedAt, acknowledgedBy, team, priority };
  const [only = null, ...others] = record.groups;
  return {
    ...{ key: id, severity, code: null, incident: { kind, title }, since: startedAt },
    worst: { about: 'incident', id, deviceId: null, deviceName: null, version: record.version, ...life },
    place: { ...scope, groupId: others.length === 0 && only !== everybody ? only : null },
    among: [],
    places: 1,
    cameras: members?.now ?? null,
    of: isPartly(record, view) ? null : (record.outage?.size ?? null),
    isEverywhere: record.groups.includes(everybody),
    groupId: null,
    groupTotal: 0,
    messages: null,
  };
}
