import type { JSX } from 'preact';
import type { Device } from '../../../../shared/schema/device/device.ts';
import { useMay } from '../../client/auth.ts';
import { href } from '../../client/router.ts';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { codeSeverities, codeTitles } from '../../model.ts';
import { Presence } from './presence.tsx';

/** One camera in a list. */
export function DeviceRow({ device }: { device: Device }): JSX.Element {
  const { deviceId, name, site, model, state, lastSeenAt, openAlerts } = device;
  return (
    <li>
      <a class="device-row" href={href(['devices', deviceId])}>
        <Presence state={state} />
        <span class="name">
          <strong>{name || deviceId}</strong> {name && name !== deviceId ? <span class="quiet">{deviceId}</span> : null}
        </span>
        <span class="quiet site">{site ?? ''}</span>
        <span class="quiet model">{model ?? ''}</span>
        <span class="codes">
          {openAlerts.map(({ code }) => (
            <span class={`badge sev-${codeSeverities[code]}`} title={codeTitles[code]} key={code}>
              {code}
            </span>
          ))}
        </span>
        <span class="quiet seen">{lastSeenAt ? <Time at={lastSeenAt} form="age" /> : null}</span>
      </a>
    </li>
  );
}

export function NoDevices(): JSX.Element {
  const maySettings = useMay('settings:read');
  return (
    <Empty title="No devices">
      None fits these filters, or none has sent a report that could be read
      {maySettings ? (
        <>
          {' '}
          (see <a href={href(['quarantine'])}>Quarantine</a>)
        </>
      ) : null}
      .
    </Empty>
  );
}
