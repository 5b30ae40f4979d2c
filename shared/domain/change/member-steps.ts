import { type AlertRecord, type AlertSeed, seedAlert } from '../alert/alert.ts';
import type { Actor, AlertChange } from '../alert/change.ts';
import { memberActor } from '../alert/resumed.ts';
import { canBeMember, type OpenIncident, placed, type Standing } from '../incident/standing.ts';
import type { Configuration } from '../notify/configuration.ts';
import { plus } from '../time.ts';
import { changedSteps, openedSteps, type Steps } from './alert-steps.ts';
import type { Given } from './change.ts';

/** Opens an alert at the places of its device. Where an incident is open there, the alert becomes its member and shares its state. */
export function bornSteps(
  seed: AlertSeed,
  standing: Standing | null,
  who: Actor,
  configuration: Configuration,
  given: Given,
): Steps {
  const alert = seedAlert(seed, given.at);
  if (standing === null || !canBeMember(seed)) return openedSteps(alert, who, configuration, given);
  const { incident, isHeld } = standing;
  const notifyAfter = isHeld && incident === null ? plus(given.recordedAt, given.waits.placeGrace) : alert.notifyAfter;
  const opened = openedSteps(placed({ ...alert, notifyAfter }, standing), who, configuration, given);
  return incident ? withShared(opened, incident, configuration, given) : opened;
}

/** Makes a loss a member of the incident that is open at the places of its device. Null: it is a member already, or is over. */
export function joinedSteps(
  alert: AlertRecord,
  incident: OpenIncident,
  why: string,
  configuration: Configuration,
  given: Given,
): Steps | null {
  if (!canBeMember(alert) || (alert.isMember && alert.incidentId === incident.incidentId)) return null;
  const { incidentId } = incident;
  const joined = changedSteps({ ...alert, incidentId }, { kind: 'join', why }, 'system', configuration, given);
  return joined.kind === 'steps' ? withShared(joined.steps, incident, configuration, given) : null;
}

/** A member that joins gets the actions already performed on its incident. */
function withShared(
  steps: Steps,
  { incidentId, status, snoozedUntil }: OpenIncident,
  configuration: Configuration,
  given: Given,
): Steps {
  const [first, ...rest] = steps;
  const alert = (rest.at(-1) ?? first).after;
  const change = sharedChange(status, snoozedUntil, given);
  if (change === null) return steps;
  const changed = changedSteps(alert, change, memberActor(incidentId), configuration, given);
  return changed.kind === 'steps' ? [first, ...rest, ...changed.steps] : steps;
}

function sharedChange(
  status: OpenIncident['status'],
  snoozedUntil: OpenIncident['snoozedUntil'],
  { at }: Given,
): Exclude<AlertChange, { kind: 'open' }> | null {
  if (status === 'acknowledged') return { kind: 'acknowledge' };
  return snoozedUntil !== null && snoozedUntil > at ? { kind: 'snooze', until: snoozedUntil } : null;
}
