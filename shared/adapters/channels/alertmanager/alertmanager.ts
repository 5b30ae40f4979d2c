import { plus } from '../../../domain/time.ts';
import { basic, type HandoffParts, type RequestOf } from '../handoff/request.ts';

/**
 * An alert that is not repeated for this long ends in Alertmanager. We repeat every 4 minutes (`handoffRepeat`), so an
 * alert survives two failed repetitions in a row.
 */
const endsAfterMs = 15 * 60_000;

/**
 * Alertmanager, `POST /api/v2/alerts` (prometheus.io/docs/alerting/latest/alerts_api): labels identify an alert, and `endsAt` ends it. It keeps
 * alerts in memory only, so open ones are repeated.
 */
export const toAlertmanager: RequestOf = (parts) => {
  const { event, url, settings, credential, now, link } = parts;
  const { action, title, text, startedAt, at } = event;
  return {
    url: `${url.replace(/\/$/, '')}/api/v2/alerts`,
    headers: authorization(settings.user, credential),
    body: [
      {
        labels: labelsOf(parts),
        annotations: { summary: title, description: text },
        startsAt: startedAt,
        // One millisecond after the start at the earliest: Alertmanager refuses an end before the start.
        endsAt: action === 'resolve' ? (at > startedAt ? at : plus(startedAt, 1)) : plus(now, endsAfterMs),
        ...(link ? { generatorURL: link } : {}),
      },
    ],
  };
};

/**
 * Labels must be the same at the beginning and the end of an alert, so they contain nothing that may change, such as name or priority. Empty labels
 * are dropped.
 */
function labelsOf({ event, severity, settings }: HandoffParts): Record<string, string> {
  const { key, about, code, deviceId, groupId, site } = event;
  const named = { device: deviceId, group: groupId === '*' ? null : groupId, site };
  const where = Object.entries(named).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return {
    ...settings.labels,
    ...Object.fromEntries(about === 'alert' ? where : []),
    alertname: code,
    severity,
    service: 'watchpost',
    watchpost_id: key,
  };
}

function authorization(user: string | undefined, credential: string | null): Record<string, string> {
  if (credential === null) return {};
  return { Authorization: user === undefined ? `Bearer ${credential}` : basic(user, credential) };
}
