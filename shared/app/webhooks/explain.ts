import type { Webhook } from '../../domain/delivery/webhook.ts';
import {
  deliveryIdOf,
  detectionDeliveryIdOf,
  incidentEventIdOf,
  takesMember,
} from '../../domain/delivery/webhook-events.ts';
import { concernedOf, refusalsOf } from '../../domain/delivery/webhook-filter.ts';
import { type EventRecord, topicsFor } from '../../domain/event/event.ts';
import type { EventFacts } from '../../domain/event/facts.ts';
import { retention } from '../../domain/limits.ts';
import { faultsOfSchedule } from '../../domain/settings/schedules.ts';
import { plus, toInstant } from '../../domain/time.ts';
import type { Detection } from '../../schema/detection/detection.ts';
import type { Incident } from '../../schema/incident/incident.ts';
import type { Settings } from '../../schema/settings/settings.ts';
import type { explainedEvents } from '../../schema/vocabulary.ts';
import type { ExplainRequest, FilterRefusal, WebhookExplanation } from '../../schema/webhook/webhook.ts';
import type { Bearer } from '../bearer.ts';
import { recentEvents } from '../events/recent.ts';
import type { Filter, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { refused } from './fit.ts';
import { loadWebhook } from './webhooks.ts';

const defaultLimit = 20;
/** Events that one call examines, as many alerts as the preview of a rule. */
const mostExamined = 10_000;

type EventType = (typeof explainedEvents)[number];
type ExplainQuery = { limit: number; since: string | null };

/**
 * Compares recent events with the filter of an endpoint, or with another one that it could have, and returns what happened to each.
 * @throws AppError `not-found`; `invalid-request` for a filter with an unknown schedule
 */
export async function explainWebhook(
  world: World,
  bearer: Bearer,
  webhookId: string,
  { limit = defaultLimit, since, eventType = 'detection', filter }: ExplainRequest,
): Promise<WebhookExplanation> {
  const { data: stored } = await loadWebhook(world, bearer, webhookId);
  const webhook = filter === undefined ? stored : { ...stored, filter };
  const { settings } = await loadConfiguration(world);
  const faults = faultsOfSchedule(filter?.schedule, settings, world.now(), '/filter/schedule');
  if (faults.length > 0) throw refused(faults);
  if (bearer.groups?.length === 0) {
    return { detections: [], events: [], examined: 0, matched: 0, isComplete: true };
  }
  const asked = { limit, since: since ? toInstant(since) : null };
  return eventType === 'detection'
    ? explainedDetections(world, bearer, webhook, settings, asked)
    : explainedEventsOf(world, bearer, webhook, settings, { ...asked, eventType });
}

async function explainedDetections(
  world: World,
  bearer: Bearer,
  webhook: Webhook,
  settings: Settings,
  { limit, since }: ExplainQuery,
): Promise<WebhookExplanation> {
  const where: Filter<'detections'>[] = [
    ...(bearer.groups ? [{ field: 'groupId', is: 'in', value: bearer.groups } as const] : []),
    ...(since ? [{ field: 'receivedAt', is: '>=', value: since } as const] : []),
  ];
  const found = await world.store.find({ in: 'detections', where, orderBy: [['receivedAt', 'desc']], limit });
  const ids = found.map(({ data }) => detectionDeliveryIdOf(webhook.webhookId, data.deviceId, data.sessionId));
  const records = { deliveries: ids, events: found.map(({ data }) => data.recordId) };
  const { deliveries, events } = await world.store.getMany(records);
  const detections = found.map(({ data }, index) => {
    const { sessionId, deviceId, groupId, detectedAt, receivedAt } = data;
    const event = events[index]?.data;
    const payload = event ? (JSON.parse(event.body) as Detection) : null;
    const objects = payload ? { objects: payload.analysis.objects } : {};
    const name = payload?.device.name ?? deviceId;
    const facts = { ...event?.facts, at: detectedAt, deviceId, groupId, ...objects };
    const refusedBy = refusalsBy(webhook, 'detection', facts, settings);
    const delivery = deliveries[index]?.data ?? null;
    return {
      sessionId,
      deviceId,
      deviceName: name === deviceId ? null : name,
      groupId,
      timestamp: detectedAt,
      receivedAt,
      wanted: refusedBy.length === 0,
      refusedBy,
      deliveryId: delivery?.deliveryId ?? null,
      deliveryStatus: delivery?.status ?? null,
    };
  });
  const matched = detections.filter(({ wanted }) => wanted).length;
  return { detections, events: [], examined: found.length, matched, isComplete: found.length < limit };
}

async function explainedEventsOf(
  world: World,
  bearer: Bearer,
  webhook: Webhook,
  settings: Settings,
  { limit, since, eventType }: ExplainQuery & { eventType: EventType },
): Promise<WebhookExplanation> {
  const oldest = plus(world.now(), -retention.feed);
  const from = since !== null && since > oldest ? since : oldest;
  const most = since === null ? limit : mostExamined;
  const recent = await recentEvents(world, topicsFor(bearer.groups, [eventType]), from, most);
  const judged = recent.events.flatMap((event) => {
    const { facts } = event;
    if (!facts) return [];
    const groups = eventType === 'incident' ? groupsOf(event) : [facts.groupId];
    const refusedBy = refusalsBy(
      webhook,
      eventType,
      { ...facts, groupId: concernedOf(webhook.filter, groups) },
      settings,
    );
    return [{ event, facts, groups, refusedBy }];
  });
  const shown = judged.slice(0, limit);
  const ids = shown.map(({ event }) => deliveryIdOf(webhook.webhookId, eventType, eventIdFor(webhook, event)));
  const deliveries = ids.length > 0 ? await world.store.get('deliveries', ids) : [];
  return {
    detections: [],
    events: shown.map(({ event: { eventId }, facts, groups, refusedBy }, index) => ({
      eventId,
      deviceId: facts.deviceId || null,
      groups,
      severity: facts.severity ?? null,
      code: facts.code ?? facts.kind ?? null,
      change: facts.change ?? null,
      timestamp: facts.at,
      wanted: refusedBy.length === 0,
      refusedBy,
      deliveryId: deliveries[index]?.data.deliveryId ?? null,
      deliveryStatus: deliveries[index]?.data.status ?? null,
    })),
    examined: judged.length,
    matched: judged.filter(({ refusedBy }) => refusedBy.length === 0).length,
    isComplete: recent.isComplete,
  };
}

function refusalsBy(webhook: Webhook, eventType: EventType, facts: EventFacts, settings: Settings): FilterRefusal[] {
  const { events, filter, membersOfIncidents } = webhook;
  const isMember = facts.isMember === true && !takesMember('member', membersOfIncidents);
  return [
    ...(events.includes(eventType)
      ? []
      : [{ member: 'events' as const, detail: `the endpoint does not subscribe to ${eventNames[eventType]}` }]),
    ...(isMember ? [{ member: 'membersOfIncidents' as const, detail: 'it belongs to an open incident' }] : []),
    ...refusalsOf(filter, facts, settings),
  ];
}

const eventNames: Record<EventType, string> = {
  detection: 'detections',
  alert: 'alerts',
  guardian: 'guardian alerts',
  incident: 'incidents',
};

function groupsOf(event: EventRecord): string[] {
  return incidentOf(event).groups;
}

function incidentOf({ body }: EventRecord): Incident {
  return (JSON.parse(body) as { incident: Incident }).incident;
}

/** The id under which an endpoint gets an event: of an incident it may get only the part of its groups. */
function eventIdFor({ filter }: Webhook, event: EventRecord): string {
  const limits = filter?.groups;
  if (event.type !== 'incident' || !limits?.length) return event.eventId;
  const incident = incidentOf(event);
  const part = incident.groups.filter((group) => limits.includes(group));
  return part.length === 0 || incident.groups.length < 2
    ? event.eventId
    : incidentEventIdOf(incident, part, incident.groups);
}
