import type { JSX } from 'preact';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { DeviceState } from '../../../../shared/schema/vocabulary.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, type Route, searchOf } from '../../client/router.ts';
import { useMore } from '../../components/more.ts';
import { Empty, Show } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../format.ts';
import { codeSeverities, codeTitles } from '../../model.ts';
import { DeviceFilters, deviceFilters } from './device-filters.tsx';

type DeviceList = { devices: Device[]; nextPageToken?: string };

/** The fleet by group. */
export function DevicesPage({ route }: { route: Route }): JSX.Element {
  const mayWrite = useMay('devices:write');
  const maySettings = useMay('settings:read');
  const { query } = route;
  const given = Object.fromEntries(deviceFilters.map((name) => [name, query.get(name) ?? '']));
  const search = searchOf({ ...given, pageSize: '200' }).toString();
  const list = useResource<DeviceList>(`/v1/devices?${search}`, { on: ['device', 'alert'] });
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Devices</h1>
        <span class="spacer" />
        {mayWrite ? <a href={href(['import'])}>Import</a> : null}
        {maySettings ? <a href={href(['quarantine'])}>Reports that could not be read</a> : null}
      </header>
      <DeviceFilters route={route} />
      <Show of={list} lines={14}>
        {(data) =>
          data.devices.length === 0 && data.nextPageToken === undefined ? (
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
          ) : (
            <Groups key={search} first={data} search={search} />
          )
        }
      </Show>
    </section>
  );
}

/** The first page is kept current; further ones are read when asked for. */
function Groups({ first, search }: { first: DeviceList; search: string }): JSX.Element {
  const { all, loadMore } = useMore(`/v1/devices?${search}`, 'devices', first, ({ deviceId }: Device) => deviceId);
  const groups = Map.groupBy(all, ({ groupId }) => groupId);
  return (
    <>
      {[...groups]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([groupId, devices]) => (
          <section class="panel device-group" key={groupId} aria-label={`Group ${groupId}`}>
            <header class="panel-head">
              <h2>{groupId}</h2>
              <span class="quiet">{presenceOf(devices)}</span>
            </header>
            <ul class="device-list">
              {devices.map((device) => (
                <DeviceRow key={device.deviceId} device={device} />
              ))}
            </ul>
          </section>
        ))}
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          More devices
        </button>
      ) : null}
    </>
  );
}

/** `3 of 5 devices online, 1 unknown` */
function presenceOf(devices: readonly Device[]): string {
  const count = (wanted: DeviceState) => devices.filter(({ state }) => state === wanted).length;
  const unknown = count('unknown');
  return `${count('online')} of ${plural(devices.length, 'device')} online${unknown > 0 ? `, ${unknown} unknown` : ''}`;
}

function DeviceRow({ device }: { device: Device }): JSX.Element {
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
        <span class="quiet seen">
          <Time at={lastSeenAt} form="age" />
        </span>
      </a>
    </li>
  );
}

const stateNames: Record<DeviceState, string> = { online: 'Online', offline: 'Offline', unknown: 'Unknown' };
const presenceTones: Record<DeviceState, string> = { online: 'on', offline: 'off', unknown: 'unsure' };

export function Presence({ state }: { state: DeviceState }): JSX.Element {
  return <span class={`presence ${presenceTones[state]}`}>{stateNames[state]}</span>;
}
