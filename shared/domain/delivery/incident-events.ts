import type { Incident } from '../../schema/incident/incident.ts';
import { type EventRecord, eventRecord, everybody, keptFor, unlistedEvent } from '../event/event.ts';
import type { ScheduleSettings } from '../settings/schedules.ts';
import type { Instant } from '../time.ts';
import type { Publication } from './delivery.ts';
import type { Webhook } from './webhook.ts';
import { type IncidentEventChange, payloadVersion, webhookDelivery } from './webhook-events.ts';
import { refusalsOf } from './webhook-filter.ts';

/** A member of an incident as events name it. */
export type MemberAlert = { deviceId: string; alertId: string; groupId: string };

export type IncidentEvent = {
  change: IncidentEventChange;
  incidentId: string;
  groups: readonly string[];
  version: number;
  members: readonly MemberAlert[];
  at: Instant;
  /** The incident as a viewer of certain groups sees it. Null: all of it. */
  shownTo(groups: readonly string[] | null): Incident;
};

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
  const eventId = `${event.incidentId}:${event.version}`;
  const base = { type: 'incident', eventId, at, deviceId: null };
  const listed = listedOf(event, base);
  const unlisted = new Map<string, EventRecord>();
  const deliveries = webhooks.flatMap((webhook) => {
    const { filter, events } = webhook;
    const limits = filter?.groups?.length ? filter.groups : null;
    const concerned = limits ? event.groups.filter((group) => limits.includes(group)) : event.groups;
    const [first = everybody, ...others] = concerned;
    const about = { deviceId: '', groupId: first, at, objects: null };
    if (!events.includes('incident') || refusalsOf(filter, about, settings).length > 0) return [];
    const groupId = others.length > 0 ? everybody : first;
    const body = bodyOf(event, limits);
    const own = listed.find((each) => each.body === body) ?? unlistedEvent({ ...base, body }, concerned.toSorted());
    if (!listed.includes(own)) unlisted.set(own.recordId, own);
    const named = { eventType: 'incident', eventId, alertId: null, deviceId: '', groupId, body: '' };
    return [webhookDelivery(webhook, { ...named, recordId: own.recordId }, at)];
  });
  return { events: [...listed, ...unlisted.values()].map((each) => keptFor(each, deliveries)), deliveries };
}

/** A reader who sees only some of its groups gets what concerns one of them at a time. */
function listedOf(
  event: IncidentEvent,
  base: Pick<EventRecord, 'type' | 'eventId' | 'at' | 'deviceId'>,
): EventRecord[] {
  const groups = event.groups.filter((group) => group !== everybody);
  const whole = { ...base, body: bodyOf(event, null), isWhole: true };
  if (groups.length < 2) return [eventRecord({ ...whole, groups })];
  const parts = groups.map((group) =>
    eventRecord({ ...base, body: bodyOf(event, [group]), groups: [group], isWhole: false }),
  );
  return [eventRecord({ ...whole, groups: [] }), ...parts];
}

function bodyOf({ change, members, at, shownTo }: IncidentEvent, limits: readonly string[] | null): string {
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
