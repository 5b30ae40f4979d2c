import type { JSX } from 'preact';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { DeviceState } from '../../../../shared/schema/vocabulary.ts';
import { useMay } from '../../client/auth.ts';
import { useGroups } from '../../client/groups.ts';
import { useResource } from '../../client/resource.ts';
import { href, navigate, type Route, searchOf } from '../../client/router.ts';
import { useMore } from '../../components/more.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { SelectFilter } from '../../components/select-filter.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../format.ts';
import { codeSeverities, codeTitles } from '../../model.ts';

type DeviceList = { devices: Device[]; nextPageToken?: string };

const presences = [
  ['', 'Online and offline'],
  ['false', 'Offline'],
  ['true', 'Online'],
] as const;

/** The fleet by group. */
export function DevicesPage({ route }: { route: Route }): JSX.Element {
  const { query } = route;
  const online = query.get('online') ?? '';
  const groupId = query.get('groupId') ?? '';
  const groups = useGroups();
  const maySettings = useMay('settings:read');
  const ask = (text: string) => {
    const next = new URLSearchParams(location.hash.split('?')[1] ?? '');
    if (text) next.set('q', text);
    else next.delete('q');
    navigate(href(['devices'], next), { replace: true });
  };
  const search = searchOf({ online, groupId, q: query.get('q') ?? '', pageSize: '200' }).toString();
  const list = useResource<DeviceList>(`/v1/devices?${search}`, { on: ['device', 'alert'] });
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Devices</h1>
        <span class="spacer" />
        {maySettings ? <a href={href(['quarantine'])}>Reports that could not be read</a> : null}
      </header>
      <search class="filters">
        <SearchBox label="Search devices" placeholder="Search id or name" asked={query.get('q') ?? ''} onAsk={ask} />
        <SelectFilter
          label="Group"
          name="groupId"
          value={groupId}
          options={[['', 'All groups'], ...groups.map((group) => [group, group] as const)]}
          route={route}
        />
        <SelectFilter label="Presence" name="online" value={online} options={presences} route={route} />
      </search>
      <Show of={list} lines={14}>
        {(data) =>
          data.devices.length === 0 ? (
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
  const { deviceId, name, model, state, lastSeenAt, openAlerts } = device;
  return (
    <li>
      <a class="device-row" href={href(['devices', deviceId])}>
        <Presence state={state} />
        <span class="name">
          <strong>{name || deviceId}</strong> {name && name !== deviceId ? <span class="quiet">{deviceId}</span> : null}
        </span>
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
