import type { AlertRecord, AlertSeed } from '../alert/alert.ts';
import type { IncidentRecord } from './incident.ts';

/** An open incident at the place of a device, with the state that its members share. */
export type OpenIncident = Pick<IncidentRecord, 'incidentId' | 'status' | 'snoozedUntil'>;

/**
 * The situation at the places of a device when it is lost. `incident`: the loss becomes its member; null: the loss stands alone. `isHeld`:
 * a place has so many devices that nobody is notified of this loss until the others have been evaluated.
 */
export type Standing = { incident: OpenIncident | null; isHeld: boolean };

/** Only a lost connection becomes a member of an incident. People are notified of any other alert as usual. */
export function canBeMember({ code }: Pick<AlertSeed, 'code'>): boolean {
  return code === 'CONN_001';
}

/** The alert as a member of the open incident at its place, or as no member. */
export function placed(alert: AlertRecord, { incident }: Standing): AlertRecord {
  if (incident === null) return { ...alert, isMember: false };
  return { ...alert, incidentId: incident.incidentId, isMember: true, notifyAfter: null };
}
