import type { AlertRecord, AlertSeed } from '../alert/alert.ts';
import type { IncidentRecord } from './incident.ts';

/** An incident that is open where a device hangs, with the state that its members share. */
export type OpenIncident = Pick<IncidentRecord, 'incidentId' | 'status' | 'snoozedUntil'>;

/**
 * What stands where a device hangs when it is lost. `incident`: the loss belongs to it; null: it stands alone. `isHeld`: its place has so many
 * devices that the others are waited for before anybody is told of this one.
 */
export type Standing = { incident: OpenIncident | null; isHeld: boolean };

/** Only a lost connection is folded into an incident: everything else is told by itself, whatever is open around it. */
export function isFoldable({ code }: Pick<AlertSeed, 'code'>): boolean {
  return code === 'CONN_001';
}

/** The alert as a member of the incident that is open where its device hangs, or as none. */
export function placed(alert: AlertRecord, { incident }: Standing): AlertRecord {
  if (incident === null) return { ...alert, isFolded: false };
  return { ...alert, incidentId: incident.incidentId, isFolded: true, notifyAfter: null };
}
