import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Explanation } from '../../../../shared/schema/alert/life.ts';
import type { ActivityItem } from '../../../../shared/schema/device/activity.ts';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import { at } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, searchOf } from '../../client/router.ts';
import { duration, useNow } from '../../format.ts';
import { dayMs, Strip } from '../strip.tsx';
import { Time } from '../time.tsx';
import { AlertRow } from './alert-row.tsx';
import { presenceSpans } from './presence-spans.ts';
import { runbookOf } from './runbook.ts';
import { silenceOf } from './silence.ts';

/** Why nobody is notified, and what happens next without an action by a person. */
export function Outlook({ alert, changes }: { alert: Alert; changes: number }): JSX.Element | null {
  const explained = useResource<Explanation>(alert.resolved ? null : at('alerts', alert.alertId, 'explain'));
  const { data, reload } = explained;
  useEffect(() => {
    if (changes > 0) void reload();
  }, [changes, alert.status, reload]);
  if (!data) return null;
  const silence = silenceOf(alert, data);
  const next = data.next.toSorted((a, b) => (a.at < b.at ? -1 : 1)).slice(0, 3);
  return (
    <>
      {silence ? <p class="notice problem">{silence}</p> : null}
      {next.length > 0 ? (
        <section class="outlook">
          <h3>Next, if nobody acts</h3>
          <ul>
            {next.map(({ at: instant, what }) => (
              <li key={`${instant} ${what}`}>
                <Time at={instant} form="age" />
                <span>{what}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

/** The usual remedies for a code, and the link from the settings. */
export function Runbook({ alert: { code, category } }: { alert: Alert }): JSX.Element {
  const { data } = useResource<Settings>(useMay('settings:read') ? '/v1/settings' : null);
  const link = data?.runbooks?.[code];
  return (
    <section>
      <h3>What to do</h3>
      <ul class="runbook">
        {runbookOf(code, category).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
      {link ? (
        <p>
          <a href={link} target="_blank" rel="noopener noreferrer">
            Your runbook for {code}
          </a>
        </p>
      ) : null}
    </section>
  );
}

/** When the camera was connected during the last days, as a strip and in words. */
export function PresenceStrip({ deviceId, days = 1 }: { deviceId: string; days?: number }): JSX.Element | null {
  const spanMs = days * dayMs;
  const mayRead = useMay('devices:read');
  const path = mayRead ? `${at('devices', deviceId, 'activity')}?pageSize=200` : null;
  const { data } = useResource<{ entries: ActivityItem[]; nextPageToken?: string }>(path, {
    on: ['device', 'alert'],
  });
  const { data: device } = useResource<Device>(mayRead ? at('devices', deviceId) : null);
  const now = useNow();
  if (!data || !device) return null;
  const registeredMs = Date.parse(device.registeredAt);
  // Of a time before the oldest entry that was read, nothing is known.
  const readMs = data.nextPageToken ? Date.parse(data.entries.at(-1)?.at ?? '') : 0;
  const spans = presenceSpans(data.entries, now - spanMs, now, Math.max(registeredMs, readMs));
  if (spans.every(({ isOnline }) => isOnline === null)) return null;
  const dark = spans.filter(({ isOnline }) => isOnline === false);
  const darkMs = dark.reduce((sum, { part }) => sum + part * spanMs, 0);
  const isNew = registeredMs > now - spanMs;
  const whole = days === 1 ? '24 h' : `${days} days`;
  const words = isNew
    ? `Registered ${duration(now - registeredMs)} ago; not connected for ${duration(darkMs)} since then`
    : dark.length === 0
      ? `Connected for the last ${whole}`
      : `Not connected for ${duration(darkMs)} of the last ${whole}`;
  return (
    <section>
      <h3>Presence, {whole}</h3>
      <Strip spans={spans} words={words} />
      <p class="quiet">{words}.</p>
    </section>
  );
}

const earlierAtMost = 5;

/** A few other alerts of the same camera, open or resolved. */
export function EarlierAlerts({ alert }: { alert: Alert }): JSX.Element | null {
  const { deviceId, alertId } = alert;
  const query = searchOf({ status: 'all', pageSize: String(earlierAtMost + 1) });
  const { data } = useResource<{ alerts: Alert[] }>(`${at('devices', deviceId, 'alerts')}?${query}`);
  const others = (data?.alerts ?? []).filter((other) => other.alertId !== alertId).slice(0, earlierAtMost);
  if (others.length === 0) return null;
  return (
    <section>
      <header class="panel-head">
        <h3>Other alerts of this camera</h3>
        <a href={href(['alerts'], { deviceId, status: 'all' })}>All of this camera</a>
      </header>
      <ul class="recent-list" aria-label="Other alerts of this camera">
        {others.map((other) => (
          <li key={other.alertId}>
            <AlertRow alert={other} address={href(['alerts', other.alertId])} />
          </li>
        ))}
      </ul>
    </section>
  );
}
