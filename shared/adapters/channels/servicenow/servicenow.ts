import { atMost, basic, type RequestOf, wordsOf } from '../handoff/request.ts';

/**
 * ServiceNow, Event Management: a record in `em_event` by the Table API. Events with the same `message_key` form one alert, and severity 0 closes it.
 * An acknowledgement has no event there.
 */
export const toServicenow: RequestOf = (parts) => {
  const { event, severity, url, settings, credential } = parts;
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
      // UTC, in the format of the table.
      time_of_event: at.slice(0, 19).replace('T', ' '),
      description: atMost(4000, `${title}\n${text}`),
      additional_info: JSON.stringify(
        Object.fromEntries(Object.entries(wordsOf(parts)).map(([name, word]) => [name, atMost(500, word)])),
      ),
    },
  };
};
