import type { AlertRecord } from '../alert/alert.ts';
import { catalogue, isLoss } from '../alert/catalogue.ts';
import type { Actor, AlertChange } from '../alert/change.ts';
import { dueChange } from '../alert/due.ts';
import { type AuditEntry, decideAlert, type LifecycleOutcome } from '../alert/lifecycle.ts';
import { memberActor } from '../alert/resumed.ts';
import type { IncidentRecord } from '../incident/incident.ts';
import { type Hold, holdOf } from '../maintenance/window.ts';
import type { Configuration } from '../notify/configuration.ts';
import { ladderOf, type Policies } from '../notify/policy.ts';
import { taken } from '../settings/escalation.ts';
import { planOf } from '../settings/rules.ts';
import { responseSecondsOf } from '../settings/settings.ts';
import type { Instant } from '../time.ts';
import type { DecisionContext } from './change.ts';

/**
 * One change of an alert: the alert before and after it, and its line in the trail. `isPast`: what it tells was over when it was found, so that people
 * hear nothing of it.
 */
export type Step = { before: AlertRecord | null; after: AlertRecord; entry: AuditEntry; isPast?: true };
/** The changes of one alert in a row, oldest first. */
export type Steps = readonly [Step, ...Step[]];

/** Opens an alert. The rules and settings of this moment decide who is notified and whether it is escalated at once. */
export function openedSteps(
  seed: AlertRecord,
  who: Actor,
  configuration: Configuration,
  given: DecisionContext,
): Steps {
  const { rules, settings } = configuration;
  const hold = holdOn(seed, configuration, given.recordedAt);
  const plan = planOf(rules, settings, seed, given.recordedAt);
  const seconds = catalogue[seed.code].needsNoResponse ? null : responseSecondsOf(settings, seed.severity);
  const responseMs = seconds === null ? null : seconds * given.waits.settingsSecond;
  const opened = stepOf(decideAlert(seed, { kind: 'open', plan, responseMs }, who, given.at, hold), null);
  const isHeard =
    opened.after.isOpen && !opened.after.notifyAfter && !opened.after.awaitsLook && !opened.after.isMember && !hold;
  return [opened, ...(isHeard ? escalatedByRule(opened.after, configuration, given) : [])];
}

/** Changes an existing alert. Returns the reason if nothing changes. */
export function changedSteps(
  alert: AlertRecord,
  change: Exclude<AlertChange, { kind: 'open' }>,
  who: Actor,
  configuration: Configuration,
  given: DecisionContext,
): { kind: 'steps'; steps: Steps } | Exclude<LifecycleOutcome, { kind: 'changed' }> {
  const hold = holdOn(alert, configuration, given.recordedAt);
  const outcome = decideAlert(alert, change, who, given.at, hold);
  if (outcome.kind !== 'changed') return outcome;
  const following = hold ? [] : followingSteps(outcome.alert, change, configuration, given);
  return { kind: 'steps', steps: [stepOf(outcome, alert), ...following] };
}

/** The maintenance window that silences an alert when people would be notified, however late the report arrived. */
export function holdOn(alert: AlertRecord, { windows, settings }: Configuration, tellingAt: Instant): Hold | null {
  return windows.length === 0 ? null : holdOf(windows, alert, tellingAt, settings.timeZone);
}

/**
 * Changes that follow at once: a rule escalates an alert that is announced or leaves its incident, and an undo escalates an alert whose response time
 * has passed meanwhile.
 */
function followingSteps(alert: AlertRecord, { kind }: AlertChange, policies: Policies, given: DecisionContext): Step[] {
  if (kind === 'announce' || kind === 'leave') return escalatedByRule(alert, policies, given);
  if (kind !== 'unacknowledge' && kind !== 'unsnooze') return [];
  const due = dueChange(alert, given.at, ladderOf(alert, policies, given.recordedAt, given.waits), given.waits);
  return due?.kind === 'escalate' ? [stepOf(decideAlert(alert, due, 'system', given.at), alert)] : [];
}

function stepOf(outcome: LifecycleOutcome, before: AlertRecord | null): Step {
  if (outcome.kind !== 'changed') throw new Error(`opening an alert was ${outcome.kind}`);
  return { before, after: outcome.alert, entry: outcome.entry };
}

function escalatedByRule(alert: AlertRecord, policies: Policies, { at, recordedAt, waits }: DecisionContext): Step[] {
  const { escalation, rules } = alert;
  // At the end of a snooze the response time starts instead.
  if (!escalation || alert.status !== 'active' || alert.isSnoozed) return [];
  const name = rules.find(({ ruleId }) => ruleId === escalation.ruleId)?.name ?? escalation.ruleId;
  const change: AlertChange = {
    kind: 'escalate',
    why: `The rule ${name} escalates it`,
    ...taken(ladderOf(alert, policies, recordedAt, waits), 0, 0, at, waits),
  };
  return [stepOf(decideAlert(alert, change, `rule:${escalation.ruleId}`, at), alert)];
}

/** An open incident with the state that its members share. */
export type OpenIncident = Pick<IncidentRecord, 'incidentId' | 'status' | 'snoozedUntil'>;

/** Makes a loss a member of an open incident. Null: it is a member already, or is over. */
export function joinedSteps(
  alert: AlertRecord,
  incident: OpenIncident,
  why: string,
  configuration: Configuration,
  given: DecisionContext,
): Steps | null {
  if (!isLoss(alert) || (alert.isMember && alert.incidentId === incident.incidentId)) return null;
  const { incidentId } = incident;
  const joined = changedSteps({ ...alert, incidentId }, { kind: 'join', why }, 'system', configuration, given);
  return joined.kind === 'steps' ? withShared(joined.steps, incident, configuration, given) : null;
}

/** A member that joins gets the actions already performed on its incident. */
function withShared(
  steps: Steps,
  { incidentId, status, snoozedUntil }: OpenIncident,
  configuration: Configuration,
  given: DecisionContext,
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
  { at }: DecisionContext,
): Exclude<AlertChange, { kind: 'open' }> | null {
  if (status === 'acknowledged') return { kind: 'acknowledge' };
  return snoozedUntil !== null && snoozedUntil > at ? { kind: 'snooze', until: snoozedUntil } : null;
}
