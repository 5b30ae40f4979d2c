import { v5 as uuidv5 } from 'uuid';
import type { AlertCode } from '../../schema/vocabulary.ts';
import { type AlertRecord, type AlertSeed, seedAlert } from '../alert/alert.ts';
import { isInformational, isLoss } from '../alert/catalogue.ts';
import { type Actor, type AlertChange, availableActions } from '../alert/change.ts';
import type { Finding } from '../alert/conditions.ts';
import type { AlertOrder } from '../alert/orders.ts';
import { type Device, type Whereabouts, whereaboutsOf } from '../device/device.ts';
import { heardBy } from '../drill/heard.ts';
import { isLabelled, withLabels } from '../registry/registry.ts';
import {
  type Change,
  type DecisionContext,
  type KnownAll,
  type KnownRecords,
  type Needs,
  noChange,
  type Sighting,
} from './change.ts';
import { consequencesOf } from './consequences.ts';
import { deviceAfter } from './device-of-alert.ts';
import { renamesOf } from './renames.ts';
import type { DeviceDecision } from './report-decision.ts';
import { changedSteps, openedSteps, type Steps } from './steps.ts';

/** Namespace of the ids of alerts that continue in another group. */
const movedNamespace = '5c1b7d9e-2f47-5d0a-b6a4-8e0b4a9c7f21';

/** What a move does to the alerts that stay open on a device: their changes, and the alerts that are open on it afterwards. */
type MovedAlerts = { kind: 'moved'; lives: Steps[]; open: Device['open'] };

/** Everything that follows when a person moves a device to another group. */
export function decideMove(
  before: Device,
  after: Device,
  who: Actor,
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs {
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
export function movedAlerts(
  before: Device,
  after: Device,
  who: Actor,
  known: KnownRecords,
  given: DecisionContext,
): MovedAlerts | Needs {
  const { open } = after;
  if (before.groupId === after.groupId) return { kind: 'moved', lives: [], open };
  const codes = (Object.keys(open) as AlertCode[]).filter((code) => open[code]?.alertId === before.open[code]?.alertId);
  const held = codes.map((code) => ({ code, alertId: open[code]?.alertId ?? '' }));
  const unread = held
    .flatMap(({ alertId }) => [alertId, movedAlertId(alertId, before)])
    .filter((id) => !known.alerts.has(id));
  if (unread.length > 0 || known.configuration === null) return { ...nothingRead, alerts: unread };
  const { configuration } = known;
  const moved: MovedAlerts = { kind: 'moved', lives: [], open: { ...open } };
  for (const { code, alertId: oldId } of held) {
    const alert = known.alerts.get(oldId);
    const entry = open[code];
    if (!alert?.isOpen || !entry) continue;
    // Groups may be customers who do not know of each other, so neither is named to the other.
    const why = 'The camera moved to another group';
    const end = { kind: 'end', resolution: 'moved', why, leftBy: who } as const;
    const ended = changedSteps(alert, end, who, configuration, given);
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
  const { code, message, context, timestamp, occurrences, lastSeenAt, notifyAfter, snoozedUntil, lostAt } = alert;
  const { deviceId, groupId } = device;
  const about = { alertId, deviceId, ...whereaboutsOf(device), groupId };
  const seed = { ...about, code, message, context, notifyAfter, snoozedUntil, lostAt };
  return { ...seedAlert(seed, timestamp), occurrences, lastSeenAt, worsenedAt: alert.worsenedAt };
}

function withWhy([first, ...rest]: Steps, why: string): Steps {
  return [{ ...first, entry: { ...first.entry, why } }, ...rest];
}

/**
 * Decides everything that a report or a due time causes, from the facts and conditions of the device (`decision`), through its alerts and
 * the notifications, to each record that is written.
 */
export function decideDevice(
  before: Device | null,
  decision: DeviceDecision,
  read: KnownRecords,
  given: DecisionContext,
): Change | Needs {
  const known = heardKnown(decision.device.deviceId, read, given);
  const { activity, isWorthWriting } = decision;
  if (before && !isWorthWriting) return noChange();
  const numbered = { ...decision.device, version: decision.device.version + 1 };
  const device = before?.name === numbered.name && isLabelled(before) ? numbered : withLabels(numbered);
  const orders = before && before.groupId !== device.groupId ? decision.orders.filter(isNoSighting) : decision.orders;
  const { needs, isDecidable } = needsOf({ ...decision, orders }, known);
  if (!isDecidable) return needs;
  const moved = movedAlerts(before ?? device, device, decision.who, known, given);
  if (moved.kind === 'needs') return { ...needs, alerts: [...needs.alerts, ...moved.alerts] };
  const isQuiet = moved.lives.length === 0 && orders.flatMap(alertIdsOf).length === 0;
  const caused = isQuiet ? noChange() : alertsOf({ ...decision, orders }, moved.lives, known, given);
  if (caused.kind === 'needs') return { ...needs, targets: caused.targets };
  if (needs.alerts.length > 0 || needs.activity.length > 0) return needs;
  const sightings = orders.flatMap((order) => sightingOf(order, given));
  const written = new Set(caused.alerts.map(({ alertId }) => alertId));
  const renames = before ? renamesOf(before, device).filter(({ alertId }) => !written.has(alertId)) : [];
  const lines = activity.filter(({ entryId }) => known.activity.get(entryId) === false);
  return { ...caused, device: { ...device, open: moved.open }, sightings, renames, activity: lines };
}

/** What a decision lacks. `isDecidable`: who would be notified can be decided without it. */
function needsOf(
  { orders, activity }: DeviceDecision,
  known: KnownRecords,
): { needs: Needs & { activity: string[] }; isDecidable: boolean } {
  const unread = orders.flatMap(alertIdsOf).filter((id) => !known.alerts.has(id));
  // Almost every alert that shall open is new: who would be notified of it is asked together with whether it is.
  const isCertain = orders.every(
    (order) => order.kind === 'open' || !alertIdsOf(order).some((id) => unread.includes(id)),
  );
  const unwritten = activity.map(({ entryId }) => entryId).filter((id) => !known.activity.has(id));
  const isConfigurationNeeded = known.configuration === null && unread.length > 0;
  return {
    needs: { kind: 'needs', alerts: unread, targets: [], activity: unwritten },
    isDecidable: isCertain && !isConfigurationNeeded,
  };
}

/** The known records, with the configuration that decides who is notified of this device's alerts. */
function heardKnown(deviceId: string, known: KnownRecords, { drill = null }: DecisionContext): KnownRecords {
  const { configuration } = known;
  return configuration ? { ...known, configuration: heardBy(deviceId, configuration, drill) } : known;
}

/** Decides everything that one change of one alert causes. Returns the reason where nothing changes. */
export function decideOneAlert(
  alert: AlertRecord,
  change: Exclude<AlertChange, { kind: 'open' }>,
  who: Actor,
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs | NoSteps {
  if (!isReady(known)) return configurationNeeded;
  const changed = changedSteps(alert, change, who, known.configuration, given);
  return changed.kind === 'steps' ? consequencesOf([changed.steps], known, given) : changed;
}

type NoSteps = Exclude<ReturnType<typeof changedSteps>, { kind: 'steps' }>;
/** The answer to a person who asks for an action that is not possible. */
type ActionRefusal = Extract<NoSteps, { kind: 'refused' }> & { openAlertId?: string };

/** Decides everything that a person's action on an alert causes, including the change of the device that holds the alert. */
export function decideAction(
  alert: AlertRecord,
  change: Exclude<AlertChange, { kind: 'open' }>,
  who: Actor,
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs | NoSteps | ActionRefusal {
  const needs = { ...configurationNeeded, ...besides(alert, change, known) };
  const { device = null } = known;
  // The camera has moved to another group, so its present state no longer concerns the group of this alert.
  if (device && change.kind === 'reopen' && device.groupId !== alert.groupId) {
    return { kind: 'refused', status: alert.status, availableActions: [] };
  }
  // While the alert was resolved, its device may have got another name or site.
  const named = change.kind === 'reopen' ? { ...alone(alert, known), ...(device && whereaboutsOf(device)) } : alert;
  const outcome = decideOneAlert(named, change, who, known, given);
  if (outcome.kind === 'needs') return { ...needs, targets: outcome.targets };
  if (outcome.kind === 'change' && (needs.device ?? needs.incident) !== undefined) return needs;
  if (outcome.kind !== 'change' || device === null) return outcome;
  const after = deviceAfter(device, alert, change, given.at);
  if (after && 'openAlertId' in after) {
    const { status } = alert;
    return { kind: 'refused', status, availableActions: availableActions(status), openAlertId: after.openAlertId };
  }
  return { ...outcome, device: after };
}

/** Actions that change the device in addition to the alert. */
const heldByDevice: ReadonlySet<AlertChange['kind']> = new Set(['resolve', 'reopen', 'snooze', 'unsnooze'] as const);

/** What an action needs besides its alert and who is notified. */
function besides(alert: AlertRecord, { kind }: AlertChange, known: KnownRecords): Pick<Needs, 'device' | 'incident'> {
  const isHeld = heldByDevice.has(kind) && known.device === undefined;
  const wasMember = kind === 'reopen' && alert.isMember && alert.incidentId !== null && known.incident === undefined;
  return {
    ...(isHeld ? { device: alert.deviceId } : {}),
    ...(wasMember && alert.incidentId ? { incident: alert.incidentId } : {}),
  };
}

/** The alert without its incident, if that incident is over: otherwise nobody would be notified of the alert. */
function alone(alert: AlertRecord, { incident = null }: KnownRecords): AlertRecord {
  const isAlone = alert.isMember && alert.incidentId !== null && incident?.endedAt !== null;
  return isAlone ? { ...alert, isMember: false } : alert;
}

/** Decides everything that follows when a device is removed: its open alerts end. */
export function decideRemoval(
  alerts: readonly AlertRecord[],
  who: Actor,
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs {
  if (!isReady(known)) return configurationNeeded;
  const decommissioned = { kind: 'end', resolution: 'deleted', why: 'The camera was deleted', leftBy: who } as const;
  const lives = alerts.flatMap((alert) => {
    const changed = changedSteps(alert, decommissioned, who, known.configuration, given);
    return changed.kind === 'steps' ? [changed.steps] : [];
  });
  return consequencesOf(lives, known, given);
}

const configurationNeeded: Needs = { kind: 'needs', alerts: [], targets: [] };

function isReady(known: KnownRecords): known is KnownAll {
  return known.configuration !== null;
}

function alertIdsOf(order: AlertOrder): string[] {
  if (order.kind === 'open') return [order.seed.alertId];
  return order.kind === 'sight' ? [] : [order.alertId];
}

function sightingOf(order: AlertOrder, { at }: DecisionContext): Sighting[] {
  if (order.kind !== 'sight') return [];
  return [{ alertId: order.alertId, finding: order.finding, at, times: 1 + (order.more ?? 0) }];
}

/**
 * When a report moves a device to another group, its open alerts end there and are opened anew here, so their sightings in this report are dropped.
 */
function isNoSighting({ kind }: AlertOrder): boolean {
  return kind !== 'sight' && kind !== 'see';
}

function alertsOf(
  { orders, who, device }: DeviceDecision,
  moved: readonly Steps[],
  known: KnownRecords,
  given: DecisionContext,
): Change | Needs {
  if (!isReady(known)) return configurationNeeded;
  const whereabouts = whereaboutsOf(device);
  const lives = withMembersLast(orders, known).flatMap((order) => stepsOf(order, whereabouts, who, known, given) ?? []);
  return consequencesOf([...moved, ...lives], known, given);
}

/** The reconnect of an incident's member is not notified separately, because the end of the incident reports it. */
function withMembersLast(orders: readonly AlertOrder[], { alerts }: KnownRecords): AlertOrder[] {
  const isMember = ({ alertId }: { alertId: string }) => alerts.get(alertId)?.isMember ?? false;
  const endsMember = orders.some((order) => order.kind === 'end' && isMember(order));
  return orders.map((order) =>
    endsMember && order.kind === 'open' && order.seed.code === 'CONN_004'
      ? { ...order, seed: { ...order.seed, isMember: true } }
      : order,
  );
}

/** The steps of the alert that an order names, as a list with one element. Null: nothing changes. */
function stepsOf(
  order: AlertOrder,
  whereabouts: Whereabouts,
  who: Actor,
  known: KnownAll,
  given: DecisionContext,
): [Steps] | null {
  if (order.kind === 'sight') return null;
  const pastAt = 'pastAt' in order ? order.pastAt : undefined;
  const then = pastAt === undefined ? given : { ...given, at: pastAt };
  const stepsFrom: StepsFrom = (alert, change) => {
    const changed = changedSteps(alert, change, who, known.configuration, then);
    if (changed.kind !== 'steps') return null;
    return [pastAt === undefined ? changed.steps : past(changed.steps)];
  };
  if (order.kind === 'open')
    return known.alerts.get(order.seed.alertId)
      ? repeatedBy(order, whereabouts, stepsFrom, known)
      : [openedBy(order, who, known, then)];
  const alert = known.alerts.get(order.alertId);
  if (!alert) return null;
  if (order.kind === 'end') return stepsFrom(alert, { kind: 'end', resolution: order.resolution, why: order.why });
  const more = order.kind === 'see' ? (order.more ?? 0) : 0;
  const before = { ...alert, occurrences: alert.occurrences + more };
  const found = { ...before, ...counted(order.finding, before), ...whereabouts };
  if (order.kind === 'see') return stepsFrom(found, { kind: order.isWorse ? 'worsen' : 'see', why: order.why });
  const { flapping, notifyAfter, lostAt } = order;
  return stepsFrom(
    { ...found, lostAt },
    { kind: 'return', why: returned, flapping, notifyAfter, awaitsLook: isLoss(found) && pastAt === undefined },
  );
}

type StepsFrom = (alert: AlertRecord, change: Exclude<AlertChange, { kind: 'open' }>) => [Steps] | null;

/** The order would open an alert that exists. */
function repeatedBy(
  { seed, pastAt }: AlertOrder & { kind: 'open' },
  whereabouts: Whereabouts,
  stepsFrom: StepsFrom,
  { alerts }: KnownAll,
): [Steps] | null {
  const alert = alerts.get(seed.alertId);
  if (!alert || isInformational(alert.code) || pastAt !== undefined) return null;
  return stepsFrom(...returnOf({ ...alert, ...whereabouts }, seed));
}

function openedBy(
  { seed, pastAt }: AlertOrder & { kind: 'open' },
  who: Actor,
  { configuration }: KnownAll,
  then: DecisionContext,
): Steps {
  const alert = seedAlert(seed, then.at);
  if (pastAt === undefined) return openedSteps(alert, who, configuration, then);
  return past(openedSteps({ ...alert, awaitsLook: false, isJudged: true }, who, configuration, then));
}

/** The change alone: nothing follows for people. */
function past([first]: Steps): Steps {
  return [{ ...first, isPast: true }];
}

/** A finding whose `attempts` counts all sightings of the alert. */
function counted(finding: Finding, { occurrences }: AlertRecord): Finding {
  const { context } = finding;
  return context.attempts === undefined ? finding : { ...finding, context: { ...context, attempts: occurrences + 1 } };
}

const returned = 'The condition returned';

/**
 * The order would open an alert that exists: its id is made from device, code and cause, and this cause came again. The alert that it opened then
 * returns.
 */
function returnOf(
  alert: AlertRecord,
  { message, context, notifyAfter = null }: AlertSeed,
): [AlertRecord, Exclude<AlertChange, { kind: 'open' }>] {
  return [
    { ...alert, message, context },
    { kind: 'return', why: returned, flapping: false, notifyAfter, awaitsLook: isLoss(alert) },
  ];
}
