import { atMost, basic, type RequestOf, wordsOf } from '../handoff/request.ts';

/**
 * ServiceNow, Event Management: a record in `em_event` by the Table API. `message_key` makes one alert of all events about one thing, severity 0
 * clears it. That somebody has it is no event there.
 */
export const toServicenow: RequestOf = (telling) => {
  const { event, severity, url, settings, credential } = telling;
  const { action, key, title, text, deviceId, groupId, site, code, about, at } = event;
  const isOver = action === 'resolve';
  return {
    url: `${url.replace(/\/$/, '')}/api/now/table/em_event`,
    headers: { Accept: 'application/json', Authorization: basic(settings.user ?? '', credential ?? '') },
    body: {
      source: 'Watchpost',
      event_class: 'Watchpost',
      node: atMost(100, deviceId ?? site ?? groupId ?? 'watchpost'),
      type: atMost(100, code),
      resource: about,
      message_key: key,
      severity: isOver ? '0' : severity,
      resolution_state: isOver ? 'Closing' : 'New',
      // In UTC, as the table has it.
      time_of_event: at.slice(0, 19).replace('T', ' '),
      description: atMost(4000, `${title}\n${text}`),
      additional_info: JSON.stringify(
        Object.fromEntries(Object.entries(wordsOf(telling)).map(([name, word]) => [name, atMost(500, word)])),
      ),
    },
  };
};
