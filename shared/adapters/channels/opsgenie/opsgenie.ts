import { atMost, type HandoffParts, type RequestOf, wordsOf } from '../handoff/request.ts';

/**
 * Opsgenie, Alerts API (docs.opsgenie.com/docs/alert-api), which Jira Service Management also supports: an alert is created, acknowledged and closed
 * by its alias.
 */
export const toOpsgenie: RequestOf = (parts) => {
  const { event, url, credential } = parts;
  const headers = { Authorization: `GenieKey ${credential ?? ''}` };
  const base = url.replace(/\/$/, '');
  if (event.action === 'trigger') return { url: base, headers, body: creating(parts) };
  const verb = event.action === 'resolve' ? 'close' : 'acknowledge';
  const path = `${encodeURIComponent(event.key)}/${verb}?identifierType=alias`;
  return { url: `${base}/${path}`, headers, body: { source: 'Watchpost', note: atMost(1000, event.title) } };
};

function creating(parts: HandoffParts): object {
  const { event, severity } = parts;
  const { key, title, text, deviceId, groupId, site, code } = event;
  return {
    message: atMost(130, title),
    alias: key,
    description: atMost(15_000, text),
    entity: atMost(512, deviceId ?? site ?? groupId ?? 'watchpost'),
    source: 'Watchpost',
    priority: severity,
    tags: [code],
    details: Object.fromEntries(Object.entries(wordsOf(parts)).map(([name, word]) => [name, atMost(500, word)])),
  };
}
