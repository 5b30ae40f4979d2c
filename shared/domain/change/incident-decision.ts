import { channels } from '../../schema/vocabulary.ts';
import type { Actor, AlertChange } from '../alert/change.ts';
import { decideLife, entryIdOf, type LifeOutcome } from '../alert/lifecycle.ts';
import type { Notified } from '../alert/notified.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { incidentDeliveriesOf, type MemberAlert } from '../delivery/incident-events.ts';
import type { IncidentEventChange } from '../delivery/webhook-events.ts';
import { type IncidentEntry, type IncidentRecord, toWireIncident } from '../incident/incident.ts';
import type { Hold } from '../maintenance/window.ts';
import { messageTo } from '../notify/address.ts';
import type { Configuration } from '../notify/configuration.ts';
import { incidentLetter } from '../notify/incident-letter.ts';
import { type Audience, audienceFor, audienceOf, unique } from '../notify/notifications.ts';
import { responseSecondsOf } from '../settings/settings.ts';
import type { Given } from './change.ts';
import { eventChanges } from './event-changes.ts';

/** Everything that one change of an incident causes. Written in one commit. */
export type IncidentChange = {
  kind: 'change';
  incident: IncidentRecord;
  entry: IncidentEntry;
  deliveries: Delivery[];
};

type NoChange = Exclude<LifeOutcome<IncidentRecord>, { kind: 'changed' }>;

/** How an incident begins: told on every channel, whatever the settings say of its severity, with a response time like an alert's. */
export function openingOf(
  incident: IncidentRecord,
  { settings }: Configuration,
  { waits }: Given,
): Extract<AlertChange, { kind: 'open' }> {
  const seconds = responseSecondsOf(settings, incident.severity);
  return {
    kind: 'open',
    plan: { rules: [], channels: [...channels], channelsBy: 'matrix', escalation: null, priority: null },
    responseMs: seconds === null ? null : seconds * waits.settingsSecond,
  };
}

const webhookChanges: Partial<Record<AlertChange['kind'], IncidentEventChange>> = {
  ...eventChanges,
  update: 'updated',
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
  const audience = audienceOfChange(incident, record, change, configuration);
  const { occasion } = audience;
  const { incidentId } = record;
  const { timeZone } = configuration.settings;
  const letter = occasion && incidentLetter(record, occasion, { consoleUrl: given.consoleUrl, timeZone });
  const eventId = `${incidentId} ${record.version}`;
  const event = { eventType: 'notification', eventId, alertId: null, deviceId: null, groupId: null };
  // No window of digests holds them back: there are few, and each says something of its own.
  const messages = letter
    ? unique(audience.contacts).map((contact) => messageTo(contact, letter, event, given.recordedAt))
    : [];
  const isTold = occasion !== null && record.notifyAfter === null && change.kind !== 'maintain';
  const announcedAt = record.announcedAt ?? (isTold ? given.recordedAt : null);
  const hooks = announcedAt === null ? [] : hooksOf(record, change, members, configuration, given);
  const deliveries = [...messages, ...hooks];
  return {
    kind: 'change',
    incident: { ...record, announcedAt },
    entry: {
      ...line,
      entryId: entryIdOf(incidentId, record.version),
      incidentId,
      recordedAt: given.recordedAt,
      changes: { ...line.changes, announcedAt },
      told: deliveries.map(notifiedOf),
      notTold: audience.notTold,
    },
    deliveries,
  };
}

function audienceOfChange(
  { announcedAt, status }: IncidentRecord,
  record: IncidentRecord,
  { kind }: AlertChange,
  configuration: Configuration,
): Audience {
  // Of what nobody was told, nobody is told that it is over.
  if (kind === 'end' || kind === 'resolve') {
    const occasion = announcedAt === null ? null : record.joinedTo === null ? 'ended' : 'joined';
    return audienceFor(record, occasion, configuration);
  }
  // What the window keeps from people is explained by it.
  if (kind === 'maintain') return audienceFor(record, announcedAt === null ? 'opened' : 'escalated', configuration);
  return audienceOf(record, { action: kind, from: kind === 'open' ? null : status }, configuration);
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

function notifiedOf({ channel, targetName, deliveryId, target }: Delivery): Notified {
  const team = target.kind === 'webhook' ? null : target.team;
  return { channel, team, target: targetName, deliveryId, foldId: null };
}
