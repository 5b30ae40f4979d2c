import { type AlertRecord, type NotNotified, toWireAlert } from '../alert/alert.ts';
import type { AlertChange } from '../alert/change.ts';
import { dueOf } from '../alert/due.ts';

import type { Publication } from '../delivery/delivery.ts';
import { publicationOf } from '../delivery/webhook-events.ts';
import { accrualOf } from '../fleet/trends.ts';
import { type Addressed, addressed, notifiedOf } from '../notify/address.ts';
import type { Configuration } from '../notify/configuration.ts';
import { type Audience, audienceOf } from '../notify/notifications.ts';
import { occasionTable } from '../notify/occasions.ts';
import { targetIdOf } from '../notify/target.ts';
import { contactKey, unique } from '../notify/team.ts';
import { type Change, eventChanges, type Given, type KnownAll, type Needs, noChange } from './change.ts';
import { alertHandedOver } from './handoffs.ts';
import type { Step, Steps } from './steps.ts';

/**
 * Derives what changes of alerts cause: notifications, with the reason for each channel that is not used; deliveries; the trail and the counters. If
 * several changes of one alert would notify a receiver of its beginning, only the first of them does.
 */
export function consequencesOf(lives: readonly Steps[], known: KnownAll, given: Given): Change | Needs {
  const noticed = lives.map((steps) => ({ steps, audiences: audiencesOf(steps, known.configuration, given) }));
  const targets = noticed.flatMap(({ audiences }) => audiences.flatMap(({ contacts }) => contacts.map(targetIdOf)));
  const unread = [...new Set(targets)].filter((id) => !known.targets.has(id));
  if (unread.length > 0) return { kind: 'needs', alerts: [], targets: unread };
  const change = noChange();
  for (const { steps, audiences } of noticed) addLife(change, steps, audiences, known, given);
  return change;
}

/** The audience of each change. News of the beginning omits receivers that an earlier change of the same alert already reached. */
function audiencesOf(steps: Steps, configuration: Configuration, { recordedAt }: Given): Audience[] {
  const heard = new Set<string>();
  return steps.map(({ after, entry }) => {
    const audience = audienceOf(after, entry, configuration, recordedAt);
    if (phaseOf(audience) !== 'began') return audience;
    const contacts = unique(audience.contacts).filter((contact) => !heard.has(contactKey(contact)));
    for (const contact of contacts) heard.add(contactKey(contact));
    return { ...audience, contacts };
  });
}

function addLife(change: Change, steps: Steps, audiences: readonly Audience[], known: KnownAll, given: Given): void {
  const { recordedAt } = given;
  let alert = steps[0].after;
  let { announcedAt, digestIds, handed, quietUntil = null, remindAt } = alert;
  for (const [index, step] of steps.entries()) {
    const audience = audiences[index] ?? silent;
    const messages = messagesOf({ ...step.after, digestIds }, step.entry.action, audience, known, given);
    ({ digestIds } = messages);
    const isFirst = announcedAt === null && isHeard(audience);
    if (isFirst) announcedAt = recordedAt;
    quietUntil =
      audience.quietUntil ?? ('quietUntil' in step.entry.changes ? (step.after.quietUntil ?? null) : quietUntil);
    remindAt = isStepHeld(audience) ? null : step.after.remindAt;
    const dueAt = quietUntil === null ? step.after.dueAt : dueOf({ ...step.after, remindAt, quietUntil });
    const noted = { announcedAt, digestIds, quietUntil, remindAt, dueAt };
    const before = { ...step.after, ...noted, ...(handed ? { handed } : {}) };
    const handoffs = alertHandedOver(before, known.configuration, step.entry.at);
    const isHanded = handoffs.deliveries.length > 0;
    if (isHanded) ({ handed } = handoffs);
    alert = { ...before, ...(handed ? { handed } : {}) };
    const published = publicationFor(known.configuration, step, alert, isFirst);
    const machines = [...published.deliveries, ...handoffs.deliveries];
    const notified = [...messages.notified, ...machines.map(notifiedOf)];
    const { incidentId } = step.after;
    const joined = step.entry.action === 'join' || step.entry.action === 'return' ? { incidentId } : {};
    const changes = { ...step.entry.changes, ...joined, ...noted, ...(isHanded && handed ? { handed } : {}) };
    change.entries.push({ ...step.entry, recordedAt, changes, notified, notNotified: audience.notNotified });
    change.events.push(...published.events);
    change.deliveries.push(...messages.deliveries, ...machines);
    const accrual = accrualOf(step.before, step.after, step.entry);
    if (accrual) change.counters.push(accrual);
  }
  change.alerts.push(alert);
}

const silent: Audience = { occasion: null, contacts: [], notNotified: [] };

/** Changes that many alerts have at once: the end of quiet hours or maintenance, and reminders. They go out together in one digest. */
export const gatheredChanges: ReadonlySet<AlertChange['kind']> = new Set([
  'quiet-end',
  'maintenance-end',
  'remind',
] as const);

function messagesOf(
  { alertId, deviceId, groupId, category, version, digestIds }: AlertRecord,
  action: AlertChange['kind'],
  { occasion, contacts }: Audience,
  known: KnownAll,
  { recordedAt, waits }: Given,
): Addressed {
  if (occasion === null || contacts.length === 0) return { notified: [], deliveries: [], digestIds };
  const event = { eventType: 'notification', eventId: `${alertId} ${version}`, alertId, deviceId, groupId };
  const isUrgent = category === 'security' && occasionTable[occasion].phase === 'began';
  const isGathered = gatheredChanges.has(action);
  const subject = {
    event,
    message: { about: 'alert', id: alertId, occasion },
    isUrgent,
    isGathered,
    digestIds,
  } as const;
  return addressed(contacts, subject, known.targets, recordedAt, waits);
}

function phaseOf({ occasion }: Audience) {
  return occasion && occasionTable[occasion].phase;
}

/** The next step of an escalation waits while quiet hours hold the present one: the people of this step must be notified first. */
function isStepHeld({ occasion, quietUntil }: Audience): boolean {
  return quietUntil !== undefined && (occasion === 'escalated' || occasion === 'reminded');
}

/** Reasons that keep a change from people but not from machines. */
const heardByMachines: ReadonlySet<NotNotified['reason']> = new Set([
  'no-contact',
  'incident',
  'quiet-hours',
  'maintenance',
] as const);

/**
 * Whether endpoints may get the alert from this change on: it is news, and no reason without a channel holds it back from machines too. Where an
 * incident notifies people instead of the alert, machines still get the alert.
 */
function isHeard(audience: Audience): boolean {
  const isAboutAll = ({ channel, reason }: NotNotified) => channel === null && !heardByMachines.has(reason);
  return phaseOf(audience) === 'began' && !audience.notNotified.some(isAboutAll);
}

const webhookChanges: typeof eventChanges = { ...eventChanges, join: 'opened', leave: 'opened', maintain: 'opened' };

/** Changes after which endpoints get an alert that was held back before. */
const opensForMachines: ReadonlySet<AlertChange['kind']> = new Set(['announce', 'join', 'maintain'] as const);

/**
 * Endpoints get each change, because machines count events. As long as the opening of an alert is held back or suppressed, they get none of its
 * changes; the first one that they get is then sent as the opening. `isFirst`: this is that change.
 */
function publicationFor(
  configuration: Configuration,
  { before, entry: { action, at } }: Step,
  after: AlertRecord,
  isFirst: boolean,
): Publication {
  // An alert that was announced before has returned.
  const isBack = action === 'announce' && before?.announcedAt;
  const change = isFirst ? 'opened' : isBack ? 'reopened' : webhookChanges[action];
  if (!change || !after.channels.includes('webhook')) return nothing;
  if (after.notifyAfter !== null || after.announcedAt === null) return nothing;
  if (before && before.notifyAfter !== null && !opensForMachines.has(action)) return nothing;
  if ((action === 'join' || action === 'maintain') && before?.announcedAt) return nothing;
  const member = action === 'leave' ? 'left' : after.isMember ? 'member' : 'none';
  const { tags, version } = after;
  const event = { kind: 'alert', change, alert: toWireAlert(after), tags, version, member, at } as const;
  return publicationOf(event, configuration, at);
}

const nothing: Publication = { events: [], deliveries: [] };
