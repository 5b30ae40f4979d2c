import type { JSX } from 'preact';
import type { Device } from '../../../../shared/schema/device/device.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href, type Route, searchOf } from '../../client/router.ts';
import { useMore } from '../../components/more.ts';
import { Show } from '../../components/states.tsx';
import { DeviceFilters, deviceFilters } from './device-filters.tsx';
import { DeviceRow, NoDevices } from './device-row.tsx';
import { ExportDevices } from './inventory/export.tsx';
import { DevicesByPlace } from './places.tsx';
import { presenceOf } from './presence.tsx';

type DeviceList = { devices: Device[]; nextPageToken?: string };

/**
 * The fleet by place. With a search, or with a filter that the list of places does not support: the matching devices by
 * group.
 */
export function DevicesPage({ route }: { route: Route }): JSX.Element {
  const mayWrite = useMay('devices:write');
  const maySettings = useMay('settings:read');
  const { query } = route;
  const isNarrowed = deviceFilters.some((name) => !placeFilters.includes(name) && query.get(name));
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Devices</h1>
        <span class="spacer" />
        <a href={href(['inventory'])}>Certificates and firmware</a>
        <ExportDevices query={Object.fromEntries(deviceFilters.map((name) => [name, query.get(name) ?? undefined]))} />
        {mayWrite ? <a href={href(['import'])}>Import</a> : null}
        {maySettings ? <a href={href(['quarantine'])}>Reports that could not be read</a> : null}
      </header>
      <DeviceFilters route={route} />
      {isNarrowed ? <Found query={query} /> : <DevicesByPlace query={query} />}
    </section>
  );
}

/** Filters that the list of places supports. */
const placeFilters: readonly string[] = ['groupId', 'site'];

function Found({ query }: { query: URLSearchParams }): JSX.Element {
  const given = Object.fromEntries(deviceFilters.map((name) => [name, query.get(name) ?? '']));
  const search = searchOf({ ...given, pageSize: '200' }).toString();
  const list = useResource<DeviceList>(`/v1/devices?${search}`, { on: ['device', 'alert'], calmMs: 10_000 });
  return (
    <Show of={list} lines={14}>
      {(data) =>
        data.devices.length === 0 && data.nextPageToken === undefined ? (
          <NoDevices />
        ) : (
          <Groups key={search} first={data} search={search} />
        )
      }
    </Show>
  );
}

/** The first page is kept up to date; further pages are read on request. */
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
