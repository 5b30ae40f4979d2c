import type { JSX } from 'preact';
import type { DeviceWhy } from '../../../../shared/schema/device/why.ts';
import { at } from '../../client/api.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { duration, useNow } from '../../format.ts';
import { Time } from '../time.tsx';

/** Why a camera is silent: one sentence, what it follows from, and the outage that it belongs to. Nothing for a camera that reports. */
export function Why({ deviceId }: { deviceId: string }): JSX.Element | null {
  const path = useMay('devices:read') ? at('devices', deviceId, 'why') : null;
  const { data } = useResource<DeviceWhy>(path, { on: ['device', 'alert', 'incident'], everyMs: 60_000 });
  const now = useNow();
  const mayPlan = useMay('settings:write');
  if (!data || (data.since === null && data.state === 'online')) return null;
  const { since, sentence, evidence, incident } = data;
  return (
    <section class="why" aria-label="Why it is silent">
      <p class="lead">
        {since ? (
          <>
            {data.state === 'unknown' ? 'Last heard of' : 'Silent since'} <Time at={since} />,{' '}
            {duration(now - Date.parse(since))}.{' '}
          </>
        ) : null}
        {sentence}
      </p>
      <div class="buttons">
        {incident ? (
          <a class="button primary" href={href(['incidents', incident.incidentId])} title={incident.title}>
            Open the outage
          </a>
        ) : null}
        {mayPlan ? (
          <a class="button" href={href(['maintenance', 'new'], { devices: deviceId })}>
            Put in maintenance
          </a>
        ) : null}
      </div>
      {evidence.length > 0 ? (
        <details>
          <summary>How it is known</summary>
          <ul class="plain-list">
            {evidence.map(({ at: instant, text }) => (
              <li key={text}>
                {instant ? (
                  <>
                    <Time at={instant} form="full" />:{' '}
                  </>
                ) : null}
                {text}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </section>
  );
}
