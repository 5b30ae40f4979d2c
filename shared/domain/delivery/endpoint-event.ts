import type { EndpointEvent } from '../../schema/event/event.ts';
import { type EventRecord, eventRecord } from '../event/event.ts';
import type { Instant } from '../time.ts';
import type { Webhook } from './webhook.ts';
import { payloadVersion } from './webhook-events.ts';

/** A change of what is said of an endpoint. `since`: what distinguishes this time from others. */
export type EndpointNews = { state: 'failing' | 'disabled' | 'recovered'; since: Instant; reason: string | null };

/** The event of the feed about an endpoint, for those who may see the endpoint: who is limited to groups must have all groups that it takes. */
export function endpointEventOf(
  { webhookId, filter }: Pick<Webhook, 'webhookId' | 'filter'>,
  { state, since, reason }: EndpointNews,
  at: Instant,
): EventRecord {
  const eventType = `endpoint.${state}` as const;
  const body: EndpointEvent = { eventType, version: payloadVersion, timestamp: at, webhookId, since, reason };
  const [first, ...others] = (filter?.groups ?? []).toSorted();
  return eventRecord({
    ...{ type: eventType, eventId: `${webhookId} ${since}`, at, deviceId: null, body: JSON.stringify(body) },
    ...{ groups: first === undefined ? null : [first], isWhole: true },
    ...(first === undefined || others.length === 0 ? {} : { allOf: [first, ...others] }),
  });
}
