import { atMost, type HandoffParts, type RequestOf, wordsOf } from '../handoff/request.ts';

/**
 * PagerDuty, Events API v2: `POST /v2/enqueue` with `event_action` trigger, acknowledge or resolve, under one `dedup_key`
 * (developer.pagerduty.com/docs/events-api-v2). The integration key is in the body.
 */
export const toPagerduty: RequestOf = (parts) => {
  const { event, url, credential } = parts;
  const { action, key } = event;
  const head = { routing_key: credential ?? '', event_action: action, dedup_key: key };
  return { url, headers: {}, body: action === 'trigger' ? { ...head, ...triggering(parts) } : head };
};

function triggering(parts: HandoffParts): object {
  const { event, severity, link } = parts;
  const { title, text, deviceId, groupId, site, code, startedAt } = event;
  return {
    payload: {
      summary: atMost(1024, title),
      source: deviceId ?? site ?? groupId ?? 'watchpost',
      severity,
      timestamp: startedAt,
      component: deviceId ?? undefined,
      group: groupId ?? undefined,
      class: code,
      custom_details: { ...wordsOf(parts), text: atMost(4096, text) },
    },
    client: 'Watchpost',
    ...(link ? { client_url: link, links: [{ href: link, text: 'Open it in Watchpost' }] } : {}),
  };
}
