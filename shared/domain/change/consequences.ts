import { type AlertRecord, toWireAlert, type UnusedChannel } from '../alert/alert.ts';
import type { AlertChange } from '../alert/change.ts';
import { dueOf } from '../alert/due.ts';

import type { Delivery, Publication } from '../delivery/delivery.ts';
import { type AlertMember, publicationOf } from '../delivery/webhook-events.ts';
import { accrualOf } from '../fleet/trends.ts';
import { addressed, type Notifications, notifiedOf } from '../notify/address.ts';
import type { Configuration } from '../notify/configuration.ts';
import { type Audience, audienceOf, withoutLostTime } from '../notify/notifications.ts';
import { occasionTable } from '../notify/occasions.ts';
import { targetIdOf } from '../notify/target.ts';
import { contactKey, unique } from '../notify/team.ts';
import { clocksTold } from '../notify/told.ts';
import type { Instant } from '../time.ts';
import { type Change, type DecisionContext, eventChanges, type KnownAll, type Needs, noChange } from './change.ts';
import { alertHandedOver } from './handoffs.ts';
import type { Step, Steps } from './steps.ts';

/**
 * Derives what changes of alerts cause: notifications, with the reason for each channel that is not used; deliveries; the trail and the counters. If
 * several changes of one alert would notify a receiver of its beginning, only the first of them does.
 */
export function consequencesOf(lives: readonly Steps[], known: KnownAll, given: DecisionContext): Change | Needs {
  const noticed = lives.map((steps) => ({ steps, audiences: audiencesOf(steps, known.configuration, given) }));
  const targets = noticed.flatMap(({ audiences }) => audiences.flatMap(({ contacts }) => contacts.map(targetIdOf)));
  const unread = [...new Set(targets)].filter((id) => !known.targets.has(id));
  if (unread.length > 0) return { kind: 'needs', alerts: [], targets: unread };
  const change = noChange();
  for (const { steps, audiences } of noticed) addLife(change, steps, audiences, known, given);
  return change;
}

/** The audience of each change. News of the beginning omits receivers that an earlier change of the same alert already reached. */
function audiencesOf(steps: Steps, configuration: Configuration, { recordedAt }: DecisionContext): Audience[] {
  const heard = new Set<string>();
  return steps.map(({ after, entry, isPast }) => {
    if (isPast) return untold(audienceOf(after, entry, configuration));
    const audience = withoutLostTime(audienceOf(after, entry, configuration, recordedAt), after, recordedAt);
    if (phaseOf(audience) !== 'began') return audience;
    const contacts = unique(audience.contacts).filter((contact) => !heard.has(contactKey(contact)));
    for (const contact of contacts) heard.add(contactKey(contact));
    return { ...audience, contacts };
  });
}

/** People hear nothing of what was over when it was found. Machines count it. */
function untold({ occasion, notNotified }: Audience): Audience {
  const over: UnusedChannel = { channel: null, team: null, reason: 'over', detail: 'It was over when it was found' };
  return { occasion, contacts: [], notNotified: [...notNotified, over] };
}

function addLife(
  change: Change,
  steps: Steps,
  audiences: readonly Audience[],
  known: KnownAll,
  given: DecisionContext,
): void {
  const { configuration } = known;
  let alert = steps[0].after;
  for (const [index, step] of steps.entries()) {
    const { entry } = step;
    const audience = audiences[index] ?? silent;
    const { digestIds: before } = alert;
    const noting = { ...step.after, digestIds: before };
    const messages = messagesOf(noting, entry.action, audience, { ...known, beside: change.deliveries }, given);
    const isFirst = alert.announcedAt === null && isHeard(audience);
    const noted = {
      announcedAt: isFirst ? given.recordedAt : alert.announcedAt,
      digestIds: isUntold(step) ? [] : messages.digestIds,
      ...timesAfter(step, audience, phaseOf(audience) === 'began' ? messages.plannedAt : null, alert),
    };
    // What takes alerts over for people gets nothing of what is over.
    const handoffs = step.isPast
      ? { deliveries: [], handed: [] }
      : alertHandedOver({ ...step.after, ...noted, ...handedOf(alert) }, configuration, entry.at);
    const handed = handoffs.deliveries.length > 0 ? { handed: handoffs.handed } : {};
    const wasKnown = alert.isKnownAlone;
    alert = { ...step.after, ...noted, ...handedOf(alert), ...handed, isKnownAlone: wasKnown };
    const published = publicationFor(configuration, step, alert, isFirst);
    const alone = knownAlone(alert);
    alert = { ...alert, ...alone };
    const machines = [...published.deliveries, ...handoffs.deliveries];
    const notified = [...messages.notified, ...machines.map(notifiedOf)];
    const changes = { ...entry.changes, ...joinedBy(step), ...noted, ...handed, ...alone };
    change.entries.push({
      ...entry,
      recordedAt: given.recordedAt,
      changes,
      notified,
      notNotified: audience.notNotified,
    });
    change.events.push(...published.events);
    change.deliveries.push(...messages.deliveries, ...machines);
    const accrual = accrualOf(step.before, step.after, entry);
    if (accrual) change.counters.push(accrual);
  }
  change.alerts.push(alert);
}

/** What hand-offs know of an alert. */
function handedOf({ handed }: AlertRecord): Pick<AlertRecord, 'handed'> {
  return handed ? { handed } : {};
}

/** The clocks of an alert after a step. @param before the alert before it, as the steps before it have left it */
function timesAfter({ after, entry }: Step, audience: Audience, plannedAt: Instant | null, before: AlertRecord) {
  const own = 'quietUntil' in entry.changes ? after.quietUntil : before.quietUntil;
  const quietUntil = audience.quietUntil ?? own ?? null;
  const remindAt = isStepHeld(audience) ? null : after.remindAt;
  const told = clocksTold(after, entry, plannedAt, before);
  return { quietUntil, remindAt, ...told, dueAt: dueOf({ ...after, remindAt, quietUntil, ...told }) };
}

/** The incident that an alert joins by a step. */
function joinedBy({ after: { incidentId, lostAt }, entry }: Step): Partial<Pick<AlertRecord, 'incidentId' | 'lostAt'>> {
  if (entry.action === 'return') return { incidentId, lostAt };
  return entry.action === 'join' ? { incidentId } : {};
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
  { targets, beside }: Pick<KnownAll, 'targets'> & { beside: readonly Delivery[] },
  { recordedAt, waits }: DecisionContext,
): Notifications {
  if (occasion === null || contacts.length === 0) return { notified: [], deliveries: [], digestIds, plannedAt: null };
  const event = { eventType: 'notification', eventId: `${alertId} ${version}`, alertId, deviceId, groupId };
  const isUrgent = category === 'security' && occasionTable[occasion].phase === 'began';
  const isGathered = gatheredChanges.has(action);
  const subject = {
    event,
    message: { about: 'alert', id: alertId, occasion },
    isUrgent,
    isGathered,
    digestIds,
    beside,
  } as const;
  return addressed(contacts, subject, targets, recordedAt, waits);
}

function phaseOf({ occasion }: Audience) {
  return occasion && occasionTable[occasion].phase;
}

/** The next step of an escalation waits while quiet hours hold the present one: the people of this step must be notified first. */
function isStepHeld({ occasion, quietUntil }: Audience): boolean {
  return quietUntil !== undefined && (occasion === 'escalated' || occasion === 'reminded');
}

/** Reasons that keep a change from people but not from machines. */
const heardByMachines: ReadonlySet<UnusedChannel['reason']> = new Set([
  'no-contact',
  'incident',
  'over',
  'quiet-hours',
  'maintenance',
  'restored',
] as const);

/**
 * Whether endpoints may get the alert from this change on: it is news, and no reason without a channel holds it back from machines too. Where an
 * incident notifies people instead of the alert, machines still get the alert.
 */
function isHeard(audience: Audience): boolean {
  const isAboutAll = ({ channel, reason }: UnusedChannel) => channel === null && !heardByMachines.has(reason);
  return phaseOf(audience) === 'began' && !audience.notNotified.some(isAboutAll);
}

const webhookChanges: typeof eventChanges = { ...eventChanges, join: 'opened', leave: 'opened', maintain: 'opened' };

/** Changes after which endpoints get an alert that was held back before. */
const opensForMachines: ReadonlySet<AlertChange['kind']> = new Set(['announce', 'join', 'maintain'] as const);

/**
 * Endpoints get each change, because machines count events. As long as the opening of an alert is held back or suppressed, they get none of its
 * changes; the first one that they get is then sent as the opening. `isFirst`: this is that change.
 */
function publicationFor(configuration: Configuration, step: Step, after: AlertRecord, isFirst: boolean): Publication {
  const { action, at } = step.entry;
  const change = isFirst ? 'opened' : webhookChangeOf(step);
  if (!change || !after.channels.includes('webhook')) return nothing;
  if (isHeldBack(after) || after.announcedAt === null || isKeptFromMachines(step, after)) return nothing;
  const { tags, version } = after;
  const member = memberOf(after, action);
  const event = { kind: 'alert', change, alert: toWireAlert(after), tags, version, member, at } as const;
  return publicationOf(event, configuration, at);
}

/** Whether an incident takes it in before its first message has left: then nobody is told of it by itself. */
function isUntold({ before, entry: { action, recordedAt } }: Step): boolean {
  return action === 'join' && (before?.toldAt ?? '') >= recordedAt;
}

/** Whether it is known by itself and not only as a part of an incident, if that has changed: from its announcement alone until its end. */
function knownAlone(alert: AlertRecord): Partial<Pick<AlertRecord, 'isKnownAlone'>> {
  const { announcedAt, isMember, isOpen, isKnownAlone: was } = alert;
  const isKnownAlone = isOpen && (was || (announcedAt !== null && !isMember && !isHeldBack(alert)));
  return isKnownAlone === was ? {} : { isKnownAlone };
}

function memberOf({ isMember, isKnownAlone }: AlertRecord, action: AlertChange['kind']): AlertMember {
  if (isMember) return isKnownAlone ? 'taken-in' : 'member';
  return action === 'leave' ? 'left' : 'none';
}

/** What a step is to endpoints that know of the alert. One that was announced before has returned. */
function webhookChangeOf({ before, entry: { action } }: Step) {
  const isReturn = (action === 'announce' || action === 'join') && before?.announcedAt;
  return isReturn ? 'reopened' : webhookChanges[action];
}

/** Whether endpoints get nothing of a step: the alert was held back and still is, or they have got it before. */
function isKeptFromMachines({ before, entry: { action } }: Step, { isKnownAlone }: AlertRecord): boolean {
  if (!before) return false;
  if (action === 'leave' && isKnownAlone) return true;
  if (isHeldBack(before) && !opensForMachines.has(action)) return true;
  const isRepeat = action === 'maintain' || (action === 'join' && !before.awaitsLook);
  return Boolean(before.announcedAt) && isRepeat;
}

/** Nobody is notified of it yet. */
function isHeldBack({ notifyAfter, awaitsLook }: AlertRecord): boolean {
  return notifyAfter !== null || awaitsLook;
}

const nothing: Publication = { events: [], deliveries: [] };
