import { type AlertRecord, toWireAlert } from '../../domain/alert/alert.ts';
import {
  type Actor,
  type AlertChange,
  type AuditEntry,
  decideAlert,
  type LifecycleOutcome,
} from '../../domain/alert/lifecycle.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { type AlertEventChange, webhookDeliveriesOf } from '../../domain/delivery/webhook-events.ts';
import { accrualOf } from '../../domain/fleet/trends.ts';
import { withWindows } from '../../domain/notify/fold.ts';
import type { Told } from '../../domain/notify/notifications.ts';
import { planOf } from '../../domain/settings/rules.ts';
import { responseSecondsOf } from '../../domain/settings/settings.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { deliveryWakes } from '../deliveries/wakes.ts';
import { type Step, type Telling, tellSteps } from '../notify/tell.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';
import { type Configuration, loadConfiguration } from '../settings/configuration.ts';

/** A change of an alert as writes of one commit: the alert, its trail, its counters and every message that it owes. */
export type Changed = { kind: 'changed'; alert: AlertRecord; writes: Write[]; wakes: Wake[] };
export type ChangeOutcome = Changed | Exclude<LifecycleOutcome, { kind: 'changed' }>;

/**
 * Opens an alert: the rules and settings of this moment decide whom it tells, and whether it is escalated at once.
 * @param known the configuration, where it has been read for this decision
 */
export async function openAlert(
  world: World,
  seed: AlertRecord,
  who: Actor,
  now: Instant,
  known: Configuration | null = null,
): Promise<Changed> {
  const configuration = known ?? (await loadConfiguration(world));
  const plan = planOf(configuration.rules, configuration.settings, seed);
  const seconds = responseSecondsOf(configuration.settings, seed.severity);
  const responseMs = seconds === null ? null : seconds * world.waits.responseSecond;
  const steps: [Step, ...Step[]] = [stepOf(decideAlert(seed, { kind: 'open', plan, responseMs }, who, now), null)];
  const [opened] = steps;
  if (opened.after.isOpen && !opened.after.notifyAfter) steps.push(...escalatedByRule(world, opened.after, now));
  return commitOf(world, configuration, null, steps);
}

/**
 * Decides a change of an alert that exists, with everything that goes with it.
 * @param known the configuration, where it has been read for this decision
 */
export async function changeAlert(
  world: World,
  stored: Stored<'alerts'>,
  change: Exclude<AlertChange, { kind: 'open' }>,
  who: Actor,
  now: Instant,
  known: Configuration | null = null,
): Promise<ChangeOutcome> {
  const outcome = decideAlert(stored.data, change, who, now);
  if (outcome.kind !== 'changed') return outcome;
  const steps: [Step, ...Step[]] = [stepOf(outcome, stored.data)];
  if (change.kind === 'announce') steps.push(...escalatedByRule(world, outcome.alert, now));
  return commitOf(world, known ?? (await loadConfiguration(world)), stored, steps);
}

function stepOf(outcome: LifecycleOutcome, before: AlertRecord | null): Step {
  if (outcome.kind !== 'changed') throw new Error(`an alert cannot be born ${outcome.kind}`);
  return { before, after: outcome.alert, entry: outcome.entry };
}

function escalatedByRule(world: World, alert: AlertRecord, now: Instant): Step[] {
  const { escalation, rules } = alert;
  if (!escalation || alert.status !== 'active') return [];
  const name = rules.find(({ ruleId }) => ruleId === escalation.ruleId)?.name ?? escalation.ruleId;
  const remindAt = plus(now, world.waits.reminder);
  const change: AlertChange = {
    kind: 'escalate',
    team: escalation.team,
    why: `The rule ${name} escalates it`,
    remindAt,
  };
  return [stepOf(decideAlert(alert, change, `rule:${escalation.ruleId}`, now), alert)];
}

/** Writes of one or more changes in a row; each receiver hears of them once, by the first that tells it. */
async function commitOf(
  world: World,
  configuration: Configuration,
  stored: Stored<'alerts'> | null,
  steps: readonly [Step, ...Step[]],
): Promise<Changed> {
  // Messages go by the clock on the wall: `now` may be the time of a report that was long on its way.
  const recordedAt = world.now();
  const tellings = await tellSteps(world, configuration.teams, steps, recordedAt);
  const writes: Write[] = [];
  const wakes: Wake[] = [];
  const windows: string[] = [];
  let alert = steps[0].after;
  let { announcedAt } = alert;
  for (const [index, { before, after, entry }] of steps.entries()) {
    const { told, notTold, isHeard, ...telling } = tellings[index] ?? silent;
    windows.push(...telling.windows);
    if (isHeard) announcedAt ??= recordedAt;
    const foldIds = withWindows(after.foldIds, windows, recordedAt, world.waits.foldWindow);
    alert = { ...after, announcedAt, foldIds };
    const changes = { ...entry.changes, announcedAt, foldIds };
    const webhooks = webhookDeliveries(configuration, before, alert, entry);
    const toldAll = [...told, ...webhooks.map(toldOf)];
    const data: AuditEntry = { ...entry, recordedAt, changes, told: toldAll, notTold };
    writes.push(
      { kind: 'create', in: 'audit', id: entry.entryId, data },
      ...telling.writes,
      ...deliveryCreates(webhooks),
    );
    wakes.push(...telling.wakes, ...deliveryWakes(webhooks));
    const accrual = accrualOf(before, after, entry);
    if (accrual) writes.push({ kind: 'accrue', in: 'trends', ...accrual });
  }
  writes.unshift(alertWrite(stored, alert));
  if (alert.dueAt) wakes.push({ in: 'alerts', id: alert.alertId, version: alert.version, dueAt: alert.dueAt });
  return { kind: 'changed', alert, writes, wakes };
}

const silent: Telling = { told: [], notTold: [], isHeard: false, writes: [], wakes: [], windows: [] };

function alertWrite(stored: Stored<'alerts'> | null, alert: AlertRecord): Write {
  const id = alert.alertId;
  return stored
    ? { kind: 'replace', in: 'alerts', id, data: alert, revision: stored.revision }
    : { kind: 'create', in: 'alerts', id, data: alert };
}

const webhookChanges: Partial<Record<AuditEntry['action'], AlertEventChange>> = {
  open: 'opened',
  announce: 'opened',
  acknowledge: 'acknowledged',
  escalate: 'escalated',
  resolve: 'resolved',
  end: 'resolved',
  reopen: 'reopened',
  return: 'reopened',
};

/** Machines count events, so each change goes to each endpoint; one whose opening was held or silenced does not begin in the middle. */
function webhookDeliveries(
  configuration: Configuration,
  before: AlertRecord | null,
  after: AlertRecord,
  { action, at }: AuditEntry,
): Delivery[] {
  const change = webhookChanges[action];
  if (!change || !after.channels.includes('webhook')) return [];
  if (after.notifyAfter !== null || after.announcedAt === null) return [];
  if (before && before.notifyAfter !== null && action !== 'announce') return [];
  const event = { kind: 'alert', change, alert: toWireAlert(after), version: after.version, at } as const;
  return webhookDeliveriesOf(event, configuration, at);
}

function deliveryCreates(deliveries: readonly Delivery[]): Write[] {
  return deliveries.map((data) => ({ kind: 'create', in: 'deliveries', id: data.deliveryId, data }));
}

function toldOf({ channel, targetName, deliveryId }: Delivery): Told {
  return { channel, team: null, target: targetName, deliveryId, foldId: null };
}
