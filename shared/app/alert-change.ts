import { v5 as uuidv5 } from 'uuid';
import type { AlertRecord } from '../domain/alert.ts';
import { type DeliverySeed, newDelivery } from '../domain/delivery.ts';
import { decideFold, type Fold, foldIdOf, withWindows } from '../domain/fold.ts';
import {
  type Actor,
  type AlertChange,
  type AuditEntry,
  decideAlert,
  type LifecycleOutcome,
} from '../domain/lifecycle.ts';
import { alertLetter, bodyFor, type Letter } from '../domain/messages.ts';
import { type Audience, audienceOf, type Told, unique } from '../domain/notifications.ts';
import { planOf } from '../domain/rules.ts';
import { responseSecondsOf } from '../domain/settings.ts';
import { type Contact, contactKey } from '../domain/team.ts';
import type { Instant } from '../domain/time.ts';
import { accrualOf } from '../domain/trends.ts';
import { type Configuration, loadConfiguration } from './configuration.ts';
import type { Stored, Wake, World, Write } from './ports.ts';

/** A change of an alert as writes of one commit: the alert, its trail, its counters and every message that it owes. */
export type Changed = { kind: 'changed'; alert: AlertRecord; writes: Write[]; wakes: Wake[] };
export type ChangeOutcome = Changed | Exclude<LifecycleOutcome, { kind: 'changed' }>;

/** Attempts of a message to people: email and chat can wait an hour, a text message that old says nothing. */
const maxAttempts = { email: 5, chat: 5, sms: 3 } as const;
const deliveryNamespace = '0f5c5f0e-7a53-5d6b-8f60-0c9c5e1f4a22';

/** Opens an alert: the rules and settings of this moment decide whom it tells, and whether it is escalated at once. */
export async function openAlert(world: World, seed: AlertRecord, now: Instant): Promise<Changed> {
  const configuration = await loadConfiguration(world);
  const plan = planOf(configuration.rules, configuration.settings, seed);
  const seconds = responseSecondsOf(configuration.settings, seed.severity);
  const responseMs = seconds === null ? null : seconds * world.waits.responseSecond;
  const steps = [stepOf(decideAlert(seed, { kind: 'open', plan, responseMs }, 'device', now), null)];
  const [opened] = steps;
  if (opened?.after.isOpen && !opened.after.notifyAfter) steps.push(...escalatedByRule(world, opened.after, now));
  return commitOf(world, configuration, null, steps, now);
}

/** Decides a change of an alert that exists, with everything that goes with it. */
export async function changeAlert(
  world: World,
  stored: Stored<'alerts'>,
  change: Exclude<AlertChange, { kind: 'open' }>,
  who: Actor,
  now: Instant,
): Promise<ChangeOutcome> {
  const outcome = decideAlert(stored.data, change, who, now);
  if (outcome.kind !== 'changed') return outcome;
  const steps = [stepOf(outcome, stored.data)];
  if (change.kind === 'announce') steps.push(...escalatedByRule(world, outcome.alert, now));
  return commitOf(world, await loadConfiguration(world), stored, steps, now);
}

type Step = { before: AlertRecord | null; after: AlertRecord; entry: AuditEntry };

function stepOf(outcome: LifecycleOutcome, before: AlertRecord | null): Step {
  if (outcome.kind !== 'changed') throw new Error(`an alert cannot be born ${outcome.kind}`);
  return { before, after: outcome.alert, entry: outcome.entry };
}

function escalatedByRule(world: World, alert: AlertRecord, now: Instant): Step[] {
  const { escalation, rules } = alert;
  if (!escalation || alert.status !== 'active') return [];
  const name = rules.find(({ ruleId }) => ruleId === escalation.ruleId)?.name ?? escalation.ruleId;
  const remindAt = new Date(Date.parse(now) + world.waits.reminder).toISOString();
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
  { teams }: Configuration,
  stored: Stored<'alerts'> | null,
  steps: readonly Step[],
  now: Instant,
): Promise<Changed> {
  const audiences = steps.map(({ after, entry }) => audienceOf(after, entry.action, teams));
  const heard = new Set<string>();
  const writes: Write[] = [];
  const wakes: Wake[] = [];
  const windows: string[] = [];
  const folds = await loadFolds(world, audiences, steps[0]?.after);
  let announcedAt = steps[0]?.after.announcedAt ?? null;
  let alert = stored?.data ?? null;
  for (const [index, { before, after, entry }] of steps.entries()) {
    const audience = audiences[index] ?? { occasion: null, contacts: [], notTold: [] };
    const contacts = unique(audience.contacts).filter((contact) => !heard.has(contactKey(contact)));
    for (const contact of contacts) heard.add(contactKey(contact));
    const telling = tell(world, after, { ...audience, contacts }, folds, now);
    windows.push(...telling.windows);
    if (audience.occasion !== null && audience.notTold.every(({ channel }) => channel !== null)) announcedAt ??= now;
    const foldIds = withWindows(after.foldIds, windows, now, world.waits.foldWindow);
    alert = { ...after, announcedAt, foldIds };
    const told: AuditEntry = {
      ...entry,
      told: telling.told,
      notTold: audience.notTold,
      changes: { ...entry.changes, announcedAt, foldIds },
    };
    writes.push({ kind: 'create', in: 'audit', id: entry.entryId, data: told }, ...telling.writes);
    wakes.push(...telling.wakes);
    const accrual = accrualOf(before, after, entry);
    if (accrual) writes.push({ kind: 'accrue', in: 'trends', ...accrual });
  }
  if (!alert) throw new Error('no change to commit');
  writes.unshift(alertWrite(stored, alert));
  if (alert.dueAt) wakes.push({ in: 'alerts', id: alert.alertId, version: alert.version, dueAt: alert.dueAt });
  return { kind: 'changed', alert, writes, wakes };
}

function alertWrite(stored: Stored<'alerts'> | null, alert: AlertRecord): Write {
  const id = alert.alertId;
  return stored
    ? { kind: 'replace', in: 'alerts', id, data: alert, revision: stored.revision }
    : { kind: 'create', in: 'alerts', id, data: alert };
}

type Folds = ReadonlyMap<string, Stored<'folds'>>;

async function loadFolds(
  { store }: World,
  audiences: readonly Audience[],
  alert: AlertRecord | undefined,
): Promise<Folds> {
  const contacts = unique(audiences.flatMap((audience) => audience.contacts));
  if (contacts.length === 0 || !alert) return new Map();
  const found = await store.get(
    'folds',
    contacts.map((contact) => foldIdOf(contact, alert.groupId, alert.code)),
  );
  return new Map(found.flatMap((fold) => (fold ? [[fold.id, fold]] : [])));
}

type Telling = { told: Told[]; writes: Write[]; wakes: Wake[]; windows: string[] };

function tell(world: World, alert: AlertRecord, { occasion, contacts }: Audience, folds: Folds, now: Instant): Telling {
  const telling: Telling = { told: [], writes: [], wakes: [], windows: [] };
  if (occasion === null) return telling;
  const { groupId, code, alertId, deviceId } = alert;
  const letter = alertLetter(alert, occasion, world.consoleUrl);
  for (const contact of contacts) {
    const stored = folds.get(foldIdOf(contact, groupId, code)) ?? null;
    const decision = decideFold(stored?.data ?? null, { contact, groupId, code }, now, world.waits.foldWindow);
    const { channel, target, name } = contact;
    if (decision.kind === 'held') {
      telling.windows.push(decision.windowId);
      telling.told.push({ channel, team: target.team, target: name, deliveryId: null, foldId: decision.windowId });
      continue;
    }
    const event = { eventType: 'notification', eventId: `${alertId} ${alert.version}`, alertId, deviceId, groupId };
    const delivery = deliveryWrites(contact, letter, event, now);
    telling.writes.push(foldWrite(stored, decision.fold), ...delivery.writes);
    telling.wakes.push(foldWake(decision.fold), ...delivery.wakes);
    telling.told.push({ channel, team: target.team, target: name, deliveryId: delivery.deliveryId, foldId: null });
  }
  return telling;
}

/** A fold that was opened or changed, on the state that was read. */
export function foldWrite(stored: Stored<'folds'> | null, fold: Fold): Write {
  return stored
    ? { kind: 'replace', in: 'folds', id: fold.foldId, data: fold, revision: stored.revision }
    : { kind: 'create', in: 'folds', id: fold.foldId, data: fold };
}

export function foldWake({ foldId, version, dueAt }: Fold): Wake {
  return { in: 'folds', id: foldId, version, dueAt: dueAt ?? '' };
}

/** One message to one contact as a delivery that is due at once. The same event gives the same delivery. */
export function deliveryWrites(
  contact: Contact,
  letter: Letter,
  event: Pick<DeliverySeed, 'eventType' | 'eventId' | 'alertId' | 'deviceId' | 'groupId'>,
  now: Instant,
): { deliveryId: string; writes: Write[]; wakes: Wake[] } {
  const deliveryId = uuidv5(JSON.stringify([contactKey(contact), event.eventType, event.eventId]), deliveryNamespace);
  const delivery = newDelivery(
    {
      ...event,
      deliveryId,
      channel: contact.channel,
      target: contact.target,
      targetName: `${contact.target.team}: ${contact.name}`,
      body: bodyFor(contact, letter),
      maxAttempts: maxAttempts[contact.channel],
    },
    now,
  );
  return {
    deliveryId,
    writes: [{ kind: 'create', in: 'deliveries', id: deliveryId, data: delivery }],
    wakes: [{ in: 'deliveries', id: deliveryId, version: delivery.version, dueAt: now }],
  };
}
