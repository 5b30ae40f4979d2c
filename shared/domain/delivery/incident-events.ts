import type { Incident } from '../../schema/incident/incident.ts';
import type { ScheduleSettings } from '../settings/schedules.ts';
import type { Instant } from '../time.ts';
import type { Delivery } from './delivery.ts';
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
 * The deliveries that a change of an incident causes. An endpoint that is limited to groups gets what concerns these groups. It does not
 * get an incident that concerns everybody, which belongs to no single group.
 */
export function incidentDeliveriesOf(
  event: IncidentEvent,
  { webhooks, settings }: { webhooks: readonly Webhook[]; settings: ScheduleSettings },
): Delivery[] {
  const { at } = event;
  return webhooks.flatMap((webhook) => {
    const { filter, events } = webhook;
    const limits = filter?.groups?.length ? filter.groups : null;
    const concerned = limits ? event.groups.filter((group) => limits.includes(group)) : event.groups;
    const [first = '*', ...others] = concerned;
    const about = { deviceId: '', groupId: first, at, objects: null };
    if (!events.includes('incident') || refusalsOf(filter, about, settings).length > 0) return [];
    const named = {
      eventType: 'incident',
      eventId: `${event.incidentId}:${event.version}`,
      alertId: null,
      deviceId: '',
      groupId: others.length > 0 ? '*' : first,
      body: bodyOf(event, limits),
    };
    return [webhookDelivery(webhook, named, at)];
  });
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
