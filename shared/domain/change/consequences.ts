import { type AlertRecord, toWireAlert } from '../alert/alert.ts';
import type { Notified, NotNotified } from '../alert/notified.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { webhookDeliveriesOf } from '../delivery/webhook-events.ts';
import { accrualOf } from '../fleet/trends.ts';
import { type Addressed, addressed } from '../notify/address.ts';
import type { Configuration } from '../notify/configuration.ts';
import { foldIdOf, withWindows } from '../notify/fold.ts';
import { alertLetter } from '../notify/messages.ts';
import { type Audience, audienceOf, unique } from '../notify/notifications.ts';
import { contactKey } from '../notify/team.ts';
import type { Step, Steps } from './alert-steps.ts';
import { type Change, type Given, type KnownAll, type Needs, noChange } from './change.ts';
import { eventChanges } from './event-changes.ts';

/**
 * Derives what changes of alerts cause: notifications with the reasons for and against, deliveries, the trail and the counters. A receiver
 * is notified once for all changes of one alert, by the first change that notifies it.
 */
export function consequencesOf(lives: readonly Steps[], known: KnownAll, given: Given): Change | Needs {
  const noticed = lives.map((steps) => ({ steps, audiences: audiencesOf(steps, known.configuration) }));
  const folds = noticed.flatMap(({ steps: [{ after }], audiences }) =>
    audiences.flatMap(({ contacts }) => contacts.map((contact) => foldIdOf(contact, after.groupId, after.code))),
  );
  const unread = [...new Set(folds)].filter((id) => !known.folds.has(id));
  if (unread.length > 0) return { kind: 'needs', alerts: [], folds: unread };
  const change = noChange();
  for (const { steps, audiences } of noticed) addLife(change, steps, audiences, known, given);
  return change;
}

/** Who is notified of each change, without those whom an earlier change of the same alert has notified. */
function audiencesOf(steps: Steps, configuration: Configuration): Audience[] {
  const heard = new Set<string>();
  return steps.map(({ after, entry }) => {
    const audience = audienceOf(after, entry, configuration);
    const contacts = unique(audience.contacts).filter((contact) => !heard.has(contactKey(contact)));
    for (const contact of contacts) heard.add(contactKey(contact));
    return { ...audience, contacts };
  });
}

function addLife(change: Change, steps: Steps, audiences: readonly Audience[], known: KnownAll, given: Given): void {
  const { recordedAt, waits } = given;
  const windowIds: string[] = [];
  let alert = steps[0].after;
  let { announcedAt } = alert;
  for (const [index, step] of steps.entries()) {
    const audience = audiences[index] ?? silent;
    const messages = messagesOf(step.after, audience, known, given);
    windowIds.push(...messages.windowIds);
    if (isHeard(audience)) announcedAt ??= recordedAt;
    const foldIds = withWindows(step.after.foldIds, windowIds, recordedAt, waits.foldWindow);
    alert = { ...step.after, announcedAt, foldIds };
    const webhooks = webhookDeliveries(known.configuration, step, alert);
    const told = [...messages.notified, ...webhooks.map(notifiedOf)];
    const { incidentId } = step.after;
    const joined = step.entry.action === 'join' || step.entry.action === 'return' ? { incidentId } : {};
    const changes = { ...step.entry.changes, ...joined, announcedAt, foldIds };
    change.entries.push({ ...step.entry, recordedAt, changes, told, notTold: audience.notTold });
    change.folds.push(...messages.opened);
    change.deliveries.push(...messages.deliveries, ...webhooks);
    const accrual = accrualOf(step.before, step.after, step.entry);
    if (accrual) change.counters.push(accrual);
  }
  change.alerts.push(alert);
}

const silent: Audience = { occasion: null, contacts: [], notTold: [] };
const noMessages: Addressed = { notified: [], deliveries: [], opened: [], windowIds: [] };

function messagesOf(
  alert: AlertRecord,
  { occasion, contacts }: Audience,
  known: KnownAll,
  { recordedAt, waits, consoleUrl }: Given,
): Addressed {
  if (occasion === null || contacts.length === 0) return noMessages;
  const { alertId, deviceId, groupId, code } = alert;
  const event = { eventType: 'notification', eventId: `${alertId} ${alert.version}`, alertId, deviceId, groupId };
  const letter = alertLetter(alert, occasion, { consoleUrl, timeZone: known.configuration.settings.timeZone });
  return addressed(contacts, { groupId, code, event }, letter, known.folds, recordedAt, waits.foldWindow);
}

/**
 * Whether endpoints get this change. An alert that is silent only because its incident notifies people in its place still goes to
 * endpoints.
 */
function isHeard({ occasion, notTold }: Audience): boolean {
  const isAboutAll = ({ channel, reason }: NotNotified) =>
    channel === null && reason !== 'no-contact' && reason !== 'incident';
  return occasion !== null && !notTold.some(isAboutAll);
}

const webhookChanges: typeof eventChanges = { ...eventChanges, join: 'opened', leave: 'opened' };

/**
 * Endpoints get each change, because machines count events. An endpoint that did not get the opening (held back or silenced) does not get
 * later changes either.
 */
function webhookDeliveries(
  configuration: Configuration,
  { before, entry: { action, at } }: Step,
  after: AlertRecord,
): Delivery[] {
  const change = webhookChanges[action];
  if (!change || !after.channels.includes('webhook')) return [];
  if (after.notifyAfter !== null || after.announcedAt === null) return [];
  if (before && before.notifyAfter !== null && action !== 'announce' && action !== 'join') return [];
  if (action === 'join' && before?.announcedAt) return [];
  const member = action === 'leave' ? 'left' : after.isFolded ? 'member' : 'none';
  const event = { kind: 'alert', change, alert: toWireAlert(after), version: after.version, member, at } as const;
  return webhookDeliveriesOf(event, configuration, at);
}

function notifiedOf({ channel, targetName, deliveryId }: Delivery): Notified {
  return { channel, team: null, target: targetName, deliveryId, foldId: null };
}
