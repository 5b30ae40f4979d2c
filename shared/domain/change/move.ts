import { v5 as uuidv5 } from 'uuid';
import type { AlertCode } from '../../schema/vocabulary.ts';
import { type AlertRecord, seedAlert } from '../alert/alert.ts';
import type { Actor } from '../alert/change.ts';
import { type Device, whereaboutsOf } from '../device/device.ts';
import { changedSteps, openedSteps, type Steps } from './alert-steps.ts';
import type { Change, Given, Known, Needs } from './change.ts';
import { consequencesOf } from './consequences.ts';

/** Namespace of the ids of alerts that continue in another group. */
const movedNamespace = '5c1b7d9e-2f47-5d0a-b6a4-8e0b4a9c7f21';

/** What a move does to the alerts that stay open on a device: their changes, and the alerts that are open on it afterwards. */
type Moved = { kind: 'moved'; lives: Steps[]; open: Device['open'] };

/** Everything that follows when a person moves a device to another group. */
export function decideMove(before: Device, after: Device, who: Actor, known: Known, given: Given): Change | Needs {
  const moved = movedAlerts(before, after, who, known, given);
  if (moved.kind === 'needs' || known.configuration === null) return moved.kind === 'needs' ? moved : nothingRead;
  const caused = consequencesOf(moved.lives, { ...known, configuration: known.configuration }, given);
  return caused.kind === 'needs' ? caused : { ...caused, device: { ...after, open: moved.open, ended: {} } };
}

const nothingRead: Needs = { kind: 'needs', alerts: [], targets: [] };

/**
 * Closes in the old group each alert that was open on a device when it moved, and opens it in the new group, where it starts again with the
 * rules and people of that group.
 */
export function movedAlerts(before: Device, after: Device, who: Actor, known: Known, given: Given): Moved | Needs {
  const { open } = after;
  if (before.groupId === after.groupId) return { kind: 'moved', lives: [], open };
  const codes = (Object.keys(open) as AlertCode[]).filter((code) => open[code]?.alertId === before.open[code]?.alertId);
  const held = codes.map((code) => ({ code, alertId: open[code]?.alertId ?? '' }));
  const unread = held
    .flatMap(({ alertId }) => [alertId, movedAlertId(alertId, before)])
    .filter((id) => !known.alerts.has(id));
  if (unread.length > 0 || known.configuration === null) return { ...nothingRead, alerts: unread };
  const { configuration } = known;
  const moved: Moved = { kind: 'moved', lives: [], open: { ...open } };
  for (const { code, alertId: oldId } of held) {
    const alert = known.alerts.get(oldId);
    const entry = open[code];
    if (!alert?.isOpen || !entry) continue;
    // Groups may be customers who do not know of each other, so neither is named to the other.
    const why = 'The camera moved to another group';
    const ended = changedSteps(alert, { kind: 'end', resolution: 'superseded', why }, who, configuration, given);
    if (ended.kind !== 'steps') continue;
    const alertId = movedAlertId(oldId, before);
    const opened = openedSteps(movedSeed(alert, alertId, after), who, configuration, given);
    moved.lives.push(ended.steps, withWhy(opened, 'Moved with its camera from another group'));
    moved.open[code] = { ...entry, alertId };
  }
  return moved;
}

function movedAlertId(alertId: string, { version }: Device): string {
  return uuidv5(`${alertId} ${version}`, movedNamespace);
}

/** The alert as it continues in the new group. It keeps its start and its sightings, but not the acknowledgement of the old group. */
function movedSeed(alert: AlertRecord, alertId: string, device: Device): AlertRecord {
  const { code, message, context, timestamp, occurrences, lastSeenAt, notifyAfter, snoozedUntil } = alert;
  const { deviceId, groupId } = device;
  const about = { alertId, deviceId, ...whereaboutsOf(device), groupId };
  const seed = { ...about, code, message, context, notifyAfter, snoozedUntil };
  return { ...seedAlert(seed, timestamp), occurrences, lastSeenAt, worsenedAt: alert.worsenedAt };
}

function withWhy([first, ...rest]: Steps, why: string): Steps {
  return [{ ...first, entry: { ...first.entry, why } }, ...rest];
}
