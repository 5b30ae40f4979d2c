import type { Settings } from '../../schema/settings/settings.ts';
import { type Channel, channels, type Occasion, type Severity } from '../../schema/vocabulary.ts';
import type { Actor, AlertChange } from '../alert/change.ts';
import { dueOf } from '../alert/due.ts';
import { decideLife, entryIdOf, type NoChange } from '../alert/lifecycle.ts';
import type { Delivery, Publication } from '../delivery/delivery.ts';
import { type IncidentEventChange, incidentPublicationOf, type MemberAlert } from '../delivery/webhook-events.ts';

import type { EventRecord } from '../event/event.ts';
import { type IncidentEntry, type IncidentRecord, toWireIncident } from '../incident/incident.ts';
import { thresholds } from '../limits.ts';
import type { Hold } from '../maintenance/window.ts';
import { messageTo, notifiedOf } from '../notify/address.ts';
import type { Configuration } from '../notify/configuration.ts';
import { type Audience, audienceOf, withoutLostTime } from '../notify/notifications.ts';
import { occasionTable } from '../notify/occasions.ts';
import { targetIdOf } from '../notify/target.ts';
import { type Contact, unique } from '../notify/team.ts';
import { clocksTold } from '../notify/told.ts';
import type { OutageParts } from '../outage/look.ts';

import { planOf } from '../settings/rules.ts';
import { operationsTeam, responseSecondsOf } from '../settings/settings.ts';
import { type Instant, plus } from '../time.ts';
import type { DecisionContext } from './change.ts';
import { eventChanges } from './change.ts';
import { gatheredChanges } from './consequences.ts';
import { incidentHandedOver } from './handoffs.ts';

/** Everything that one change of an incident causes. Written in one commit. */
export type IncidentChange = {
  kind: 'change';
  incident: IncidentRecord;
  entry: IncidentEntry;
  events: EventRecord[];
  deliveries: Delivery[];
};

/**
 * How an incident begins: a CRITICAL one is notified on every channel, whatever the settings say; others on the channels of their severity and by
 * mail. It has a response time like an alert.
 */
export function openingOf(
  incident: IncidentRecord,
  { settings }: Configuration,
  { waits }: Pick<DecisionContext, 'waits'>,
): Extract<AlertChange, { kind: 'open' }> {
  const [team = null, ...others] = incident.groupTeams;
  const seconds = responseSecondsOf(settings, incident.severity);
  return {
    kind: 'open',
    plan: {
      rules: [],
      channels: channelsOfIncident(incident.severity, settings),
      channelsBy: 'matrix',
      escalation: null,
      priority: null,
      notifiedTeam: others.length > 0 ? null : team,
    },
    responseMs: seconds === null ? null : seconds * waits.settingsSecond,
  };
}

/** The outage with the teams of its groups: those to whom the rules give the losses of their cameras. */
export function withTeams<I extends Pick<IncidentRecord, 'groups' | 'scope' | 'incidentId' | 'groupTeams'>>(
  incident: I,
  { rules, settings }: Configuration,
  at: Instant,
): I {
  const { groups, scope } = incident;
  const site = scope.kind === 'site' ? scope.id : null;
  const loss = { code: 'CONN_001', severity: 'CRITICAL', deviceId: '', site } as const;
  const teams = groups.map(
    (groupId) => planOf(rules, settings, { ...loss, groupId }, at).notifiedTeam ?? operationsTeam,
  );
  return { ...incident, groupTeams: [...new Set(teams)] };
}

function channelsOfIncident(severity: Severity, settings: Settings): Channel[] {
  const isUsed = (channel: Channel) => channel === 'email' || settings.channels[severity][channel];
  return severity === 'CRITICAL' ? [...channels] : channels.filter(isUsed);
}

const webhookChanges: Partial<Record<AlertChange['kind'], IncidentEventChange>> = {
  ...eventChanges,
  update: 'updated',
  widen: 'updated',
  recover: 'updated',
  // A maintenance window silences people only; endpoints still get the opening.
  maintain: 'opened',
  'maintenance-end': 'opened',
};

/** Changes that are sent to endpoints as the opening if they have not received it before. */
const repeatable: ReadonlySet<AlertChange['kind']> = new Set(['maintain', 'maintenance-end'] as const);

/**
 * Further inputs of a decision on an incident: its members, for endpoints; the parts of groups that have ended or become dark; the maintenance window that covers all of them; targets that hear the same
 * from another incident; and what people are told instead of the usual occasion of the change.
 */
export type Beside = {
  members?: readonly MemberAlert[];
  hold?: Hold | null;
  except?: ReadonlySet<string>;
  occasion?: Occasion;
  parts?: OutageParts;
};

/** A change that somebody makes, or the system. */
export type IncidentAct = { change: AlertChange; who: Actor };

/** Decides what a change does to an incident, by the lifecycle of alerts, and who is notified, also when it ends. */
export function decideIncident(
  incident: IncidentRecord,
  { change, who }: IncidentAct,
  configuration: Configuration,
  given: DecisionContext,
  { members = [], hold = null, except, occasion, parts = noParts }: Beside = {},
): IncidentChange | NoChange {
  const outcome = decideLife(incident, change, who, given.at, hold);
  if (outcome.kind !== 'changed') return outcome;
  const { record, line } = outcome;
  // A window holds back what people would have got, and the explanation says so.
  const action = change.kind === 'maintain' ? 'open' : change.kind;
  const wanted = audienceOf(record, { action, from: line.from }, configuration);
  const audience = besides(withoutLostTime(wanted, record, given.recordedAt), except, occasion);
  const isGathered = gatheredChanges.has(change.kind);
  const messages = messagesOf(record, audience, given, isGathered);
  const { incidentId, version, notifyAfter } = record;
  const isNotified = audience.occasion !== null && notifyAfter === null;
  const told = clocksTold(record, line, plannedAt(audience, messages, isGathered, given), incident);
  const announcedAt = record.announcedAt ?? (isNotified ? given.recordedAt : null);
  const isBegin = audience.occasion !== null && beginsFor(audience.occasion) && messages.length > 0;
  const notifiedVersions = isBegin
    ? boundedTo(notifiedVersionsKept, [...record.notifiedVersions, version])
    : record.notifiedVersions;
  const notifiedTargets =
    isBegin && record.notifiedTargets ? withTargets(record.notifiedTargets, audience.contacts) : record.notifiedTargets;
  const isRepeat = repeatable.has(change.kind) && incident.announcedAt !== null;
  const hooks =
    announcedAt === null || isRepeat ? nothing : hooksOf(record, change, { members, parts }, configuration, given);
  const clocks = { ...told, dueAt: dueOf({ ...record, ...told }) };
  const announced = {
    ...{ ...record, ...clocks, announcedAt, notifiedVersions },
    ...(notifiedTargets ? { notifiedTargets } : {}),
  };
  const handoffs = incidentHandedOver(announced, configuration, given.at);
  const handed = handoffs.deliveries.length > 0 ? { handed: handoffs.handed } : {};
  const deliveries = [...messages, ...hooks.deliveries, ...handoffs.deliveries];
  return {
    kind: 'change',
    incident: { ...announced, ...handed },
    entry: {
      ...line,
      entryId: entryIdOf(incidentId, version),
      incidentId,
      recordedAt: given.recordedAt,
      changes: { ...line.changes, ...clocks, announcedAt, notifiedVersions, ...handed },
      notified: deliveries.map(notifiedOf),
      notNotified: audience.notNotified,
    },
    events: hooks.events,
    deliveries,
  };
}

/** When the first of the messages about a beginning is planned to leave. Null: there is none. */
function plannedAt(
  { occasion }: Audience,
  messages: readonly Delivery[],
  isGathered: boolean,
  { recordedAt, waits }: DecisionContext,
): Instant | null {
  if (occasion === null || messages.length === 0 || occasionTable[occasion].phase !== 'began') return null;
  return isGathered ? plus(recordedAt, waits.digestWindow) : recordedAt;
}

function besides(audience: Audience, except: Beside['except'], occasion: Occasion | undefined): Audience {
  const contacts = except ? audience.contacts.filter((contact) => !except.has(targetIdOf(contact))) : audience.contacts;
  return { ...audience, contacts, occasion: audience.occasion && (occasion ?? audience.occasion) };
}

/** Maximum number of `notifiedVersions` that are kept. */
const notifiedVersionsKept = 8;

/** Maximum number of `notifiedTargets` that are kept: more than all teams of a policy have. */
const mostNotifiedTargets = 200;

function withTargets(known: readonly string[], contacts: readonly Contact[]): string[] {
  return [...new Set([...known, ...contacts.map(targetIdOf)])].slice(0, mostNotifiedTargets);
}

/** Whoever gets a reminder was notified before. */
function beginsFor(occasion: Occasion): boolean {
  return occasionTable[occasion].phase === 'began' && occasion !== 'reminded';
}

/** Limits the list to the first version, which notified the opening, and the latest ones. */
function boundedTo(most: number, versions: number[]): number[] {
  return versions.length <= most ? versions : [...versions.slice(0, 1), ...versions.slice(1 - most)];
}

/** The incident notes no digest window. If a message finds no slot in its target's budget, its delivery notes the digest instead. */
function messagesOf(
  { incidentId, kind, version, members }: IncidentRecord,
  { occasion, contacts }: Audience,
  { recordedAt }: DecisionContext,
  isGathered: boolean,
): Delivery[] {
  if (occasion === null) return [];
  const eventId = `${incidentId} ${version}`;
  const event = { eventType: 'notification', eventId, alertId: null, deviceId: null, groupId: null };
  const message = { about: 'incident', id: incidentId, occasion } as const;
  const isGrave = kind === 'blind' || (kind === 'outage' && members.peak >= thresholds.leastOfPlace);
  const isUrgent = isGrave && occasionTable[occasion].phase === 'began' && occasion !== 'reminded';
  const slot = { isUrgent, ...(isGathered ? { isGathered } : {}) };
  return unique(contacts).map((contact) => messageTo(contact, { event, message, slot }, recordedAt));
}

const nothing: Publication = { events: [], deliveries: [] };
const noParts: OutageParts = { ended: [], opened: [], reopened: [] };

function hooksOf(
  record: IncidentRecord,
  { kind }: AlertChange,
  { members, parts }: Required<Pick<Beside, 'members' | 'parts'>>,
  configuration: Configuration,
  { at }: DecisionContext,
): Publication {
  const change = webhookChanges[kind];
  if (!change) return nothing;
  const { incidentId, groups, version, severity, scope } = record;
  const shownTo = (own: readonly string[] | null) => toWireIncident(record, own);
  const about = { incidentId, kind: record.kind, severity, site: scope.kind === 'site' ? scope.id : null };
  // A part that ended before hears no more of the others.
  const over = Object.keys(record.outage?.groupEnds ?? {});
  const event = { ...about, change, groups, version, members, at, shownTo, parts: { ...parts, over } };
  return incidentPublicationOf(event, configuration);
}
