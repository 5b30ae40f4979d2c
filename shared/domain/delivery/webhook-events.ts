import { v5 } from 'uuid';
import type { Alert } from '../../schema/alert/alert.ts';
import type { AuditEntry } from '../../schema/audit/audit.ts';
import type { Detection } from '../../schema/detection/detection.ts';
import type { Incident } from '../../schema/incident/incident.ts';
import {
  type alertEventChanges,
  type guardianAlertCodes,
  type IncidentKind,
  type incidentEventChanges,
  type Severity,
  severities,
} from '../../schema/vocabulary.ts';
import { type EventRecord, eventRecord, everybody, keptFor, unlistedEvent } from '../event/event.ts';
import type { EventFacts, Location } from '../event/facts.ts';
import type { ScheduleSettings } from '../settings/schedules.ts';
import { type Instant, plus } from '../time.ts';
import { type Delivery, newDelivery, type Publication } from './delivery.ts';
import { reasonToWait, type Webhook } from './webhook.ts';
import { refusalsOf, takesGroup } from './webhook-filter.ts';

/** The kinds of incident events that endpoints get. */
export type IncidentEventChange = (typeof incidentEventChanges)[number];
export type AlertEventChange = (typeof alertEventChanges)[number];

/**
 * How an alert relates to an incident: not at all, as a member, as a member that was just released, or as one that was published by itself before the
 * incident took it in.
 */
export type AlertMember = 'none' | 'member' | 'left' | 'taken-in';

/** An event that endpoints can get, except that of an incident (`incident-events.ts`). */
export type WebhookEvent =
  | { kind: 'detection'; detection: Detection; camera: Location }
  /**
   * `version` is the alert's version after the change, because each change is an event of its own. `member`: how the alert relates to an
   * incident. `tags`: those of its camera.
   */
  | {
      kind: 'alert';
      change: AlertEventChange;
      alert: Alert;
      tags: Location['tags'];
      version: number;
      member: AlertMember;
      at: Instant;
    }
  | GuardianEvent
  | { kind: 'audit'; at: Instant; entry: AuditEntry };

/** `text` is the guardian alert exactly as it was read. */
type GuardianEvent = {
  kind: 'guardian';
  guardianAlertId: string;
  alertCode: (typeof guardianAlertCodes)[number];
  severity: string;
  deviceId: string;
  groupId: string;
  camera: Location;
  at: Instant;
  text: string;
};

/** Version of all payloads, and of detections that name no version. */
export const payloadVersion = '1.0';

const namespace = '3f1a1f0e-6f5e-5d55-9d53-2f6f4f6b7c01';

/** The same endpoint and event always give the same delivery id. `event`: what identifies it among the events of its type. */
export function deliveryIdOf(webhookId: string, eventType: string, ...event: string[]): string {
  return v5(JSON.stringify([webhookId, eventType, ...event]), namespace);
}

/** Session ids are unique only per camera, so the device id is part of the key. */
export function detectionDeliveryIdOf(webhookId: string, deviceId: string, sessionId: string): string {
  return deliveryIdOf(webhookId, 'detection', deviceId, sessionId);
}

/**
 * A detection is identified by its device and session id. The id is hashed, because a session id may contain characters that a record name
 * must not.
 */
export function detectionIdOf(deviceId: string, sessionId: string): string {
  return v5(JSON.stringify(['detection', deviceId, sessionId]), namespace);
}

/**
 * What an event causes: its record in the feed, and a delivery for each endpoint that subscribes to it and whose filter matches. Deliveries to a
 * disabled or unproven endpoint are held, so that none is lost.
 */
export function publicationOf(
  event: WebhookEvent,
  { webhooks, settings }: { webhooks: readonly Webhook[]; settings: ScheduleSettings },
  now: Instant,
): Publication {
  const { alertId, eventId, about } = factsOf(event);
  const wanting = webhooks.filter(
    ({ events, filter, isMadeByLimited, membersOfIncidents }) =>
      events.includes(event.kind) &&
      (event.kind !== 'alert' || takesMember(event.member, membersOfIncidents)) &&
      // An audit event concerns everybody: no device filter applies to it, and an endpoint made with a limited token must not get it.
      (about === null ? !isMadeByLimited : refusalsOf(filter, about, settings).length === 0),
  );
  const isListed = event.kind !== 'alert' || takesMember(event.member, true);
  if (wanting.length === 0 && !isListed) return { events: [], deliveries: [] };
  const [deviceId, groupId] = [about?.deviceId ?? null, about?.groupId ?? null];
  const concerned = event.kind === 'audit' ? deviceOf(event.entry) : deviceId;
  const base = { type: event.kind, eventId, at: now, deviceId: concerned, body: bodyOf(event), ...kept(about) };
  const groups = groupId === null ? null : [groupId];
  const record = isListed ? eventRecord({ ...base, groups, isWhole: true }) : unlistedEvent(base, []);
  const { recordId } = record;
  const sent = { eventType: event.kind, eventId, alertId, deviceId, groupId, body: '', recordId };
  const deliveries = wanting.map((webhook) => webhookDelivery(webhook, sent, now));
  return { events: [keptFor(record, deliveries)], deliveries };
}

/** The facts of an event as its record keeps them. The objects of a detection are in its body. */
function kept(about: EventFacts | null): Pick<EventRecord, 'facts'> {
  if (about === null) return {};
  const { objects: _, ...facts } = about;
  return { facts };
}

/** The device whose members an entry shows. Erasing the device erases the entry's content too. */
function deviceOf({ resource }: AuditEntry): string | null {
  return resource?.kind === 'devices' ? resource.id : null;
}

/** An endpoint that takes no members gets an alert when its incident releases it. What it got by itself it gets until its end, in an incident too. */
export function takesMember(member: AlertMember, wantsMembers = true): boolean {
  return member === 'none' || member === 'taken-in' || (member === 'member') === wantsMembers;
}

const dayMs = 24 * 60 * 60_000;

/** A delivery of an event to an endpoint. */
export function webhookDelivery(
  webhook: Webhook,
  event: Pick<Delivery, 'eventType' | 'eventId' | 'alertId' | 'deviceId' | 'groupId' | 'body'> &
    Partial<Pick<Delivery, 'recordId' | 'ofGroups'>>,
  now: Instant,
): Delivery {
  const { webhookId, maxAttempts } = webhook;
  const { eventType, eventId, deviceId } = event;
  const seed = {
    ...event,
    deliveryId:
      eventType === 'detection' && deviceId !== null
        ? detectionDeliveryIdOf(webhookId, deviceId, eventId)
        : deliveryIdOf(webhookId, eventType, eventId),
    channel: 'webhook' as const,
    target: { kind: 'webhook' as const, webhookId },
    targetName: webhookId,
    maxAttempts,
  };
  const delivery = newDelivery(seed, now, reasonToWait(webhook));
  const { retentionDays } = webhook;
  return retentionDays === undefined ? delivery : { ...delivery, expireAt: plus(now, retentionDays * dayMs) };
}

const heldSinceNarrowed = 'The endpoint no longer takes events of this group.';

/**
 * Why a delivery may not be sent. Null: it may. A challenge is sent in any state of the endpoint, a test only to a proven endpoint. Deliveries from
 * before the endpoint's groups were narrowed wait for a person, because the same change may have set another address.
 */
export function reasonToHold(delivery: Delivery, endpoint: Webhook | null): string | null {
  if (!endpoint) return 'The endpoint was deleted.';
  if (delivery.eventType === 'challenge') return null;
  const isTest = delivery.eventType === 'test';
  const reason = reasonToWait(isTest ? { ...endpoint, isEnabled: true } : endpoint);
  if (isTest || reason !== null) return reason;
  if (delivery.eventType === 'audit' && !endpoint.isMadeByLimited) return null;
  if (delivery.eventType === 'checkpoint') return null;
  const { ofGroups = [delivery.groupId] } = delivery;
  return ofGroups.every((group) => takesGroup(endpoint.filter, group)) ? null : heldSinceNarrowed;
}

/** `about`: what filters compare. Null: filters do not apply. */
type Facts = { eventId: string; alertId: string | null; about: EventFacts | null };

function factsOf(event: WebhookEvent): Facts {
  switch (event.kind) {
    case 'detection': {
      const { device, session, analysis, timestamp } = event.detection;
      const { id: deviceId, groupId } = device;
      const about = { deviceId, groupId, at: timestamp, objects: analysis.objects, ...event.camera };
      return { eventId: session.id, alertId: null, about };
    }
    case 'alert': {
      const { change, tags, at } = event;
      const { alertId, deviceId, groupId, site, severity, code, category } = event.alert;
      const member = event.member === 'member' ? ({ isMember: true } as const) : {};
      const about = { deviceId, groupId, at, site, tags, severity, code, category, change, ...member };
      return { eventId: `${alertId}:${event.version}`, alertId, about };
    }
    case 'guardian': {
      const { guardianAlertId, deviceId, groupId, camera, at } = event;
      const about = { deviceId, groupId, at, ...camera, ...guardianFacts(event) };
      return { eventId: guardianAlertId, alertId: null, about };
    }
    case 'audit':
      return { eventId: event.entry.entryId, alertId: null, about: null };
    default:
      return event satisfies never;
  }
}

/** A guardian may give a severity that we do not know. No filter then asks for it. */
function guardianFacts({ alertCode, severity }: GuardianEvent): Pick<EventFacts, 'code' | 'category' | 'severity'> {
  const known = severities.find((each) => each === severity.toUpperCase());
  return { code: alertCode, category: 'configuration', ...(known ? { severity: known } : {}) };
}

function bodyOf(event: WebhookEvent): string {
  if (event.kind === 'detection') return JSON.stringify(event.detection);
  const head = { eventType: event.kind, version: payloadVersion, timestamp: event.at };
  if (event.kind === 'alert') return JSON.stringify({ ...head, change: event.change, alert: event.alert });
  if (event.kind === 'audit') return JSON.stringify({ ...head, entry: event.entry });
  // The guardian alert is sent exactly as it was read.
  return `${JSON.stringify({ ...head, deviceId: event.deviceId }).slice(0, -1)},"guardianAlert":${event.text}}`;
}

/** A member of an incident as events name it. */
export type MemberAlert = { deviceId: string; alertId: string; groupId: string };

export type IncidentEvent = {
  change: IncidentEventChange;
  incidentId: string;
  kind: IncidentKind;
  severity: Severity;
  /** Its site, if it is of one site. */
  site: string | null;
  groups: readonly string[];
  version: number;
  members: readonly MemberAlert[];
  /** Groups whose part ended with this change, is dark for the first time or again, and all whose part is over. */
  parts: Record<'ended' | 'opened' | 'reopened' | 'over', readonly string[]>;
  at: Instant;
  /** The incident as a viewer of certain groups sees it. Null: all of it. */
  shownTo(groups: readonly string[] | null): Incident;
};

/** The id of an event of an incident: the same for everybody who gets what concerns the same of its groups. */
export function incidentEventIdOf(
  { incidentId, version }: Pick<Incident, 'incidentId' | 'version'>,
  part: readonly string[],
  groups: readonly string[],
): string {
  const isWhole = groups.every((group) => part.includes(group));
  return v5(JSON.stringify([incidentId, version, ...(isWhole ? ['all'] : part.toSorted())]), namespace);
}

/** Maximum number of members that an event names. */
const mostMembers = 50;

/**
 * What a change of an incident causes: its event in the feed, whole and once for each of its groups, and its deliveries. An endpoint that is
 * limited to groups gets what concerns these groups. It does not get an incident that concerns everybody, which belongs to no single group.
 */
export function incidentPublicationOf(
  event: IncidentEvent,
  { webhooks, settings }: { webhooks: readonly Webhook[]; settings: ScheduleSettings },
): Publication {
  const { at } = event;
  const facts = incidentFacts(event);
  const base = { type: 'incident', at, deviceId: null, facts: { ...facts, groupId: everybody } };
  const listed = listedOf(event, base);
  const unlisted = new Map<string, EventRecord>();
  const deliveries = webhooks.flatMap((webhook) => {
    const part = partFor(webhook, event, facts, settings);
    if (part === null) return [];
    const { groupId, body } = part;
    const eventId = incidentEventIdOf(event, part.groups, event.groups);
    const own =
      listed.find((each) => each.eventId === eventId && each.body === body) ??
      unlistedEvent({ ...base, eventId, body }, part.groups.toSorted());
    if (!listed.includes(own)) unlisted.set(own.recordId, own);
    const named = { eventType: 'incident', eventId, alertId: null, deviceId: '', groupId, body: '' };
    const several = webhook.filter?.groups?.length && groupId === everybody ? { ofGroups: part.groups } : {};
    return [webhookDelivery(webhook, { ...named, ...several, recordId: own.recordId }, at)];
  });
  return { events: [...listed, ...unlisted.values()].map((each) => keptFor(each, deliveries)), deliveries };
}

/** What an endpoint gets of an incident: the groups that concern it, the one by which its delivery is listed, and the body. Null: nothing. */
function partFor(
  { filter, events }: Webhook,
  event: IncidentEvent,
  facts: Omit<EventFacts, 'groupId'>,
  settings: ScheduleSettings,
): { groups: readonly string[]; groupId: string; body: string } | null {
  if (!events.includes('incident')) return null;
  const limits = filter?.groups?.length ? filter.groups : null;
  const groups = limits ? event.groups.filter((group) => limits.includes(group)) : event.groups;
  const [first = everybody, ...others] = groups;
  if (refusalsOf(filter, { ...facts, groupId: first }, settings).length > 0) return null;
  const change = limits ? changeFor(event, groups) : event.change;
  if (change === null) return null;
  const groupId = others.length > 0 ? everybody : first;
  return { groups, groupId, body: incidentBodyOf({ ...event, change }, limits) };
}

/** An incident of a wider place has no site of its own, so that no filter hides it. */
function incidentFacts({ kind, severity, site, change, at }: IncidentEvent): Omit<EventFacts, 'groupId'> {
  return { deviceId: '', at, kind, severity, change, ...(site === null ? {} : { site }) };
}

/** A reader who sees only some of its groups gets what concerns one of them at a time. */
function listedOf(event: IncidentEvent, base: Pick<EventRecord, 'type' | 'at' | 'deviceId' | 'facts'>): EventRecord[] {
  const groups = event.groups.filter((group) => group !== everybody);
  const eventIdFor = (part: readonly string[]) => incidentEventIdOf(event, part, event.groups);
  const whole = { ...base, eventId: eventIdFor(event.groups), body: incidentBodyOf(event, null), isWhole: true };
  if (groups.length < 2) return [eventRecord({ ...whole, groups })];
  const parts = groups.flatMap((group) => {
    const change = changeFor(event, [group]);
    if (change === null) return [];
    const body = incidentBodyOf({ ...event, change }, [group]);
    return [eventRecord({ ...base, eventId: eventIdFor([group]), body, groups: [group], isWhole: false })];
  });
  return [eventRecord({ ...whole, groups: [] }), ...parts];
}

/** What a change is for a reader of these groups: the beginning, the end or the return of their part, or nothing if their part is over. */
function changeFor({ change, parts }: IncidentEvent, groups: readonly string[]): IncidentEventChange | null {
  const { ended, opened, reopened, over } = parts;
  const isOneOf = (some: readonly string[]) => groups.some((group) => some.includes(group));
  const isOver = groups.length > 0 && groups.every((group) => over.includes(group));
  if (isOver) return isOneOf(ended) ? 'resolved' : change === 'reopened' ? change : null;
  const wasOver = groups.every((group) => [...opened, ...reopened, ...over].includes(group));
  if (!wasOver) return change;
  return isOneOf(reopened) ? 'reopened' : isOneOf(opened) ? 'opened' : change;
}

function incidentBodyOf({ change, members, at, shownTo }: IncidentEvent, limits: readonly string[] | null): string {
  const own = limits ? members.filter(({ groupId }) => limits.includes(groupId)) : members;
  return JSON.stringify({
    eventType: 'incident',
    version: payloadVersion,
    timestamp: at,
    change,
    incident: shownTo(limits),
    members: own.slice(0, mostMembers).map(({ deviceId, alertId }) => ({ deviceId, alertId })),
  });
}
