import { v5 } from 'uuid';
import type { Alert } from '../../schema/alert/alert.ts';
import type { AuditEntry } from '../../schema/audit/audit.ts';
import type { Detection } from '../../schema/detection/detection.ts';
import type { ScheduleSettings } from '../settings/schedules.ts';
import type { Instant } from '../time.ts';
import { type Delivery, newDelivery } from './delivery.ts';
import { reasonToWait, type Webhook } from './webhook.ts';
import { type Filterable, refusalsOf } from './webhook-filter.ts';

/** What an endpoint is told of an incident. */
export type IncidentEventChange = AlertEventChange | 'updated';
export type AlertEventChange = 'opened' | 'acknowledged' | 'unacknowledged' | 'escalated' | 'resolved' | 'reopened';

/** What an alert is of an incident: nothing, a member for which that is told, or one that has just been left alone. */
export type AlertMember = 'none' | 'member' | 'left';

/** Something that endpoints can be told of. */
export type WebhookEvent =
  | { kind: 'detection'; detection: Detection; body: string }
  /** `version` is the alert's after the change: each change is an event of its own. `member`: what it is of its incident, or has just been. */
  | { kind: 'alert'; change: AlertEventChange; alert: Alert; version: number; member: AlertMember; at: Instant }
  /** `text` is the guardian alert as it was read. */
  | { kind: 'guardian'; guardianAlertId: string; deviceId: string; groupId: string; at: Instant; text: string }
  | { kind: 'audit'; at: Instant; entry: AuditEntry };

/** Version of the payloads of alert, guardian and test events, and of detections that name none. */
export const payloadVersion = '1.0';

const namespace = '3f1a1f0e-6f5e-5d55-9d53-2f6f4f6b7c01';

/** One delivery per endpoint and event, whatever is repeated. `event`: what names it among those of its type. */
export function deliveryIdOf(webhookId: string, eventType: string, ...event: string[]): string {
  return v5(JSON.stringify([webhookId, eventType, ...event]), namespace);
}

/** Session ids are each camera's own: one that repeats another's takes nothing away from it. */
export function detectionDeliveryIdOf(webhookId: string, deviceId: string, sessionId: string): string {
  return deliveryIdOf(webhookId, 'detection', deviceId, sessionId);
}

/** A detection is known by its device and its session id, which may hold what no record's name may. */
export function detectionIdOf(deviceId: string, sessionId: string): string {
  return v5(JSON.stringify(['detection', deviceId, sessionId]), namespace);
}

/**
 * The deliveries that an event owes: one for each endpoint that subscribes to it and whose filter it passes. To an endpoint that is
 * disabled they are held, so that nothing is lost.
 */
export function webhookDeliveriesOf(
  event: WebhookEvent,
  { webhooks, settings }: { webhooks: readonly Webhook[]; settings: ScheduleSettings },
  now: Instant,
): Delivery[] {
  const facts = factsOf(event);
  const wanting = webhooks.filter(
    ({ events, filter, isMadeByLimited, membersOfIncidents }) =>
      events.includes(event.kind) &&
      (event.kind !== 'alert' || takesMember(event.member, membersOfIncidents)) &&
      // The audit stream is about everybody: no filter of devices fits it, and none who is limited may have it.
      (facts.about === null ? !isMadeByLimited : refusalsOf(filter, facts.about, settings).length === 0),
  );
  if (wanting.length === 0) return [];
  const body = bodyOf(event);
  return wanting.map((webhook) => {
    const { alertId, eventId, about } = facts;
    const [deviceId, groupId] = [about?.deviceId ?? null, about?.groupId ?? null];
    return webhookDelivery(webhook, { eventType: event.kind, eventId, alertId, deviceId, groupId, body }, now);
  });
}

/** An endpoint that wants no members hears of one when its incident no longer speaks for it. */
function takesMember(member: AlertMember, wantsMembers = true): boolean {
  return member === 'none' || (member === 'member') === wantsMembers;
}

/** A delivery of an event to an endpoint. */
export function webhookDelivery(
  webhook: Webhook,
  event: Pick<Delivery, 'eventType' | 'eventId' | 'alertId' | 'deviceId' | 'groupId' | 'body'>,
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
  return newDelivery(seed, now, reasonToWait(webhook));
}

export const heldSinceNarrowed = 'The endpoint no longer takes events of this group.';

/** `about`: what filters look at; null: no filter fits. */
type Facts = { eventId: string; alertId: string | null; about: Filterable | null };

function factsOf(event: WebhookEvent): Facts {
  switch (event.kind) {
    case 'detection': {
      const { device, session, analysis, timestamp } = event.detection;
      const { id: deviceId, groupId } = device;
      const about = { deviceId, groupId, at: timestamp, objects: analysis.objects };
      return { eventId: session.id, alertId: null, about };
    }
    case 'alert': {
      const { alertId, deviceId, groupId } = event.alert;
      return {
        eventId: `${alertId}:${event.version}`,
        alertId,
        about: { deviceId, groupId, at: event.at, objects: null },
      };
    }
    case 'guardian': {
      const { guardianAlertId, deviceId, groupId, at } = event;
      return { eventId: guardianAlertId, alertId: null, about: { deviceId, groupId, at, objects: null } };
    }
    case 'audit':
      return { eventId: event.entry.entryId, alertId: null, about: null };
    default:
      return event satisfies never;
  }
}

function bodyOf(event: WebhookEvent): string {
  if (event.kind === 'detection') return event.body;
  const head = { eventType: event.kind, version: payloadVersion, timestamp: event.at };
  if (event.kind === 'alert') return JSON.stringify({ ...head, change: event.change, alert: event.alert });
  if (event.kind === 'audit') return JSON.stringify({ ...head, entry: event.entry });
  // The alert goes on in the form in which it was read.
  return `${JSON.stringify({ ...head, deviceId: event.deviceId }).slice(0, -1)},"guardianAlert":${event.text}}`;
}
