import type { ShiftItem } from '../../schema/fleet/shift.ts';
import type { AlertRecord, Life } from '../alert/alert.ts';
import { type IncidentRecord, isPartly, toWireIncident, type View } from '../incident/incident.ts';
import type { Instant } from '../time.ts';

/** The order of a sheet: what nobody has needs the next shift first. */
const states = ['unanswered', 'in-hand', 'snoozed', 'maintenance'] as const;

/** Sorts what a shift hands over by what the next one has to do. Within a state the given order stays. */
export function inOrderOfShift(items: readonly ShiftItem[]): ShiftItem[] {
  return states.flatMap((state) => items.filter((item) => item.state === state));
}

export function itemOfAlert(alert: AlertRecord, now: Instant): ShiftItem {
  const { alertId: id, code, message: title, groupId, site, deviceId, deviceName, maintenanceUntil } = alert;
  return {
    ...{ about: 'alert', id, code, kind: null, title, groups: [groupId], site, deviceId, deviceName },
    ...lifeOf(alert),
    state: stateOf(alert),
    ...{ startedAt: alert.timestamp, maintenance: alert.maintenance, maintenanceUntil },
    heldUntil: heldUntilOf(alert, now),
  };
}

/** An incident with what the viewer may see of it. */
export function itemOfIncident(record: IncidentRecord, view: View, now: Instant): ShiftItem {
  const seen = toWireIncident(record, view);
  const isHidden = isPartly(record, view);
  const { incidentId: id, kind, title, groups, scope, startedAt, maintenance } = seen;
  return {
    ...{ about: 'incident', id, code: null, kind, title, groups, deviceId: null, deviceName: null },
    ...lifeOf(seen),
    state: stateOf(record),
    ...{ site: scope.kind === 'site' ? scope.id : null, startedAt, maintenance },
    maintenanceUntil: isHidden ? null : record.maintenanceUntil,
    heldUntil: isHidden ? null : heldUntilOf(record, now),
  };
}

type ShownLife = Pick<
  ShiftItem,
  'severity' | 'status' | 'acknowledgedBy' | 'acknowledgedAt' | 'team' | 'priority' | 'respondBy' | 'snoozedUntil'
>;

function lifeOf(of: ShownLife): ShownLife {
  const { severity, status, acknowledgedBy, acknowledgedAt, team, priority, respondBy, snoozedUntil } = of;
  return { severity, status, acknowledgedBy, acknowledgedAt, team, priority, respondBy, snoozedUntil };
}

function stateOf({ isMaintained, isSnoozed, status }: Life): ShiftItem['state'] {
  if (isMaintained) return 'maintenance';
  if (isSnoozed) return 'snoozed';
  return status === 'acknowledged' ? 'in-hand' : 'unanswered';
}

function heldUntilOf({ quietUntil = null }: Life, now: Instant): Instant | null {
  return quietUntil !== null && quietUntil > now ? quietUntil : null;
}
