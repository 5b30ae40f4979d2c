import { channels } from '../../schema/vocabulary.ts';
import type { Actor, AlertChange } from '../alert/change.ts';
import { decideLife, entryIdOf, type LifeOutcome } from '../alert/lifecycle.ts';
import type { Notified } from '../alert/notified.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { incidentDeliveriesOf, type MemberAlert } from '../delivery/incident-events.ts';
import type { IncidentEventChange } from '../delivery/webhook-events.ts';
import { type IncidentEntry, type IncidentRecord, toWireIncident } from '../incident/incident.ts';
import { messageTo } from '../notify/address.ts';
import type { Configuration } from '../notify/configuration.ts';
import { incidentLetter } from '../notify/incident-letter.ts';
import { audienceFor, audienceOf, unique } from '../notify/notifications.ts';
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

/** Opens an incident: it is sent on every channel, whatever the settings say for its severity, and has a response time like an alert. */
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

/** Decides with the lifecycle of alerts what a change does to an incident, and who is notified, also of its end. */
export function decideIncident(
  incident: IncidentRecord,
  change: AlertChange,
  who: Actor,
  configuration: Configuration,
  given: Given,
  members: readonly MemberAlert[] = [],
): IncidentChange | NoChange {
  const outcome = decideLife(incident, change, who, given.at);
  if (outcome.kind !== 'changed') return outcome;
  const { record, line } = outcome;
  const isOver = change.kind === 'end' || change.kind === 'resolve';
  // Where nobody was notified of the incident, nobody is notified of its end.
  const isUntold = isOver && incident.announcedAt === null;
  const audience = isOver
    ? audienceFor(record, isUntold ? null : record.joinedTo === null ? 'ended' : 'joined', configuration)
    : audienceOf(record, { action: change.kind, from: line.from }, configuration);
  const { occasion } = audience;
  const { incidentId } = record;
  const { timeZone } = configuration.settings;
  const letter = occasion && incidentLetter(record, occasion, { consoleUrl: given.consoleUrl, timeZone });
  const eventId = `${incidentId} ${record.version}`;
  const event = { eventType: 'notification', eventId, alertId: null, deviceId: null, groupId: null };
  // Messages about incidents bypass the digest windows, because they are few and each one is different.
  const messages = letter
    ? unique(audience.contacts).map((contact) => messageTo(contact, letter, event, given.recordedAt))
    : [];
  const isTold = occasion !== null && record.notifyAfter === null;
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
