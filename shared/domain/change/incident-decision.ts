import type { Settings } from '../../schema/settings/settings.ts';
import { type Channel, channels, type Severity } from '../../schema/vocabulary.ts';
import type { Actor, AlertChange } from '../alert/change.ts';
import { decideLife, entryIdOf, type LifeOutcome } from '../alert/lifecycle.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { incidentDeliveriesOf, type MemberAlert } from '../delivery/incident-events.ts';
import type { IncidentEventChange } from '../delivery/webhook-events.ts';
import { type IncidentEntry, type IncidentRecord, toWireIncident } from '../incident/incident.ts';
import type { Hold } from '../maintenance/window.ts';
import { messageTo, notifiedOf } from '../notify/address.ts';
import type { Configuration } from '../notify/configuration.ts';
import { type Audience, audienceOf } from '../notify/notifications.ts';
import { occasionTable } from '../notify/occasions.ts';
import { unique } from '../notify/teams.ts';
import { responseSecondsOf } from '../settings/settings.ts';
import type { Given } from './change.ts';
import { gatheredChanges } from './consequences.ts';
import { eventChanges } from './event-changes.ts';
import { incidentHandedOver } from './handoffs.ts';

/** Everything that one change of an incident causes. Written in one commit. */
export type IncidentChange = {
  kind: 'change';
  incident: IncidentRecord;
  entry: IncidentEntry;
  deliveries: Delivery[];
};

type NoChange = Exclude<LifeOutcome<IncidentRecord>, { kind: 'changed' }>;

/**
 * How an incident begins: a CRITICAL one is told on every channel, whatever the settings say, others by the settings of their severity and by mail.
 * It has a response time like an alert's.
 */
export function openingOf(
  incident: IncidentRecord,
  { settings }: Configuration,
  { waits }: Given,
): Extract<AlertChange, { kind: 'open' }> {
  const seconds = responseSecondsOf(settings, incident.severity);
  return {
    kind: 'open',
    plan: {
      rules: [],
      channels: channelsOfIncident(incident.severity, settings),
      channelsBy: 'matrix',
      escalation: null,
      priority: null,
      notifiedTeam: null,
    },
    responseMs: seconds === null ? null : seconds * waits.settingsSecond,
  };
}

function channelsOfIncident(severity: Severity, settings: Settings): Channel[] {
  const isUsed = (channel: Channel) => channel === 'email' || settings.channels[severity][channel];
  return severity === 'CRITICAL' ? [...channels] : channels.filter(isUsed);
}

const webhookChanges: Partial<Record<AlertChange['kind'], IncidentEventChange>> = {
  ...eventChanges,
  update: 'updated',
  widen: 'updated',
  'maintenance-end': 'opened',
};

/** What a decision on an incident is told of others: members that endpoints hear of, and the maintenance window under which all members are. */
export type Beside = { members?: readonly MemberAlert[]; hold?: Hold | null };

/** Decides by the lifecycle of alerts what a change does to an incident, and whom it notifies: also of its end. */
export function decideIncident(
  incident: IncidentRecord,
  change: AlertChange,
  who: Actor,
  configuration: Configuration,
  given: Given,
  { members = [], hold = null }: Beside = {},
): IncidentChange | NoChange {
  const outcome = decideLife(incident, change, who, given.at, hold);
  if (outcome.kind !== 'changed') return outcome;
  const { record, line } = outcome;
  const audience = audienceOf(record, { action: heardAs(change, incident), from: line.from }, configuration);
  const messages = messagesOf(record, audience, given, gatheredChanges.has(change.kind));
  const { incidentId, version, notifyAfter } = record;
  const isTold = audience.occasion !== null && notifyAfter === null && change.kind !== 'maintain';
  const announcedAt = record.announcedAt ?? (isTold ? given.recordedAt : null);
  const toldVersions = messages.length > 0 ? [...record.toldVersions, version].slice(-toldKept) : record.toldVersions;
  const isRepeat = change.kind === 'maintenance-end' && record.announcedAt !== null;
  const hooks = announcedAt === null || isRepeat ? [] : hooksOf(record, change, members, configuration, given);
  const told = { ...record, announcedAt, toldVersions };
  const handoffs = incidentHandedOver(told, configuration.teams, given.at);
  const handed = handoffs.deliveries.length > 0 ? { handed: handoffs.handed } : {};
  const deliveries = [...messages, ...hooks, ...handoffs.deliveries];
  return {
    kind: 'change',
    incident: { ...told, ...handed },
    entry: {
      ...line,
      entryId: entryIdOf(incidentId, version),
      incidentId,
      recordedAt: given.recordedAt,
      changes: { ...line.changes, announcedAt, toldVersions, ...handed },
      told: deliveries.map(notifiedOf),
      notTold: audience.notTold,
    },
    deliveries,
  };
}

/** What a window keeps from people is explained as what they would have been notified of. */
function heardAs({ kind }: AlertChange, { announcedAt }: IncidentRecord): AlertChange['kind'] {
  if (kind !== 'maintain') return kind;
  return announcedAt === null ? 'open' : 'escalate';
}

/** Versions kept of those by which people were notified. */
const toldKept = 8;

/** No window is noted: where one finds no slot, the delivery notes the digest that tells of it. */
function messagesOf(
  { incidentId, kind, version }: IncidentRecord,
  { occasion, contacts }: Audience,
  { recordedAt }: Given,
  isGathered: boolean,
): Delivery[] {
  if (occasion === null) return [];
  const eventId = `${incidentId} ${version}`;
  const event = { eventType: 'notification', eventId, alertId: null, deviceId: null, groupId: null };
  const message = { about: 'incident', id: incidentId, occasion } as const;
  const isUrgent = kind === 'blind' && occasionTable[occasion].phase === 'began';
  const slot = { isUrgent, ...(isGathered ? { isGathered } : {}) };
  return unique(contacts).map((contact) => messageTo(contact, { event, message, slot }, recordedAt));
}

function hooksOf(
  record: IncidentRecord,
  { kind }: AlertChange,
  members: readonly MemberAlert[],
  configuration: Configuration,
  { at }: Given,
): Delivery[] {
  const change = webhookChanges[kind];
  if (!change) return [];
  const { incidentId, groups, version } = record;
  const shownTo = (own: readonly string[] | null) => toWireIncident(record, own);
  return incidentDeliveriesOf({ change, incidentId, groups, version, members, at, shownTo }, configuration);
}
