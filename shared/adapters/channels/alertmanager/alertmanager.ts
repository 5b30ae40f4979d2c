import { plus } from '../../../domain/time.ts';
import { basic, type RequestOf, type Telling } from '../handoff/request.ts';

/** An alert that nobody repeats ends after this: three times as long as between two tellings. */
const endsAfterMs = 15 * 60_000;

/**
 * Alertmanager, `POST /api/v2/alerts` (prometheus.io/docs/alerting/latest/alerts_api): the labels tell alerts apart, `endsAt` ends one. It keeps alerts in
 * memory only, so each is told again while it is open.
 */
export const toAlertmanager: RequestOf = (telling) => {
  const { event, url, settings, credential, now, link } = telling;
  const { action, title, text, startedAt, at } = event;
  return {
    url: `${url.replace(/\/$/, '')}/api/v2/alerts`,
    headers: authorization(settings.user, credential),
    body: [
      {
        labels: labelsOf(telling),
        annotations: { summary: title, description: text },
        startsAt: startedAt,
        // What ends in the moment of its beginning would be refused.
        endsAt: action === 'resolve' ? (at > startedAt ? at : plus(startedAt, 1)) : plus(now, endsAfterMs),
        ...(link ? { generatorURL: link } : {}),
      },
    ],
  };
};

/** The same for the beginning and the end of one thing: its name and priority may change meanwhile. Empty labels are none. */
function labelsOf({ event, severity, settings }: Telling): Record<string, string> {
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
