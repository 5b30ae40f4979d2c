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
import { useSites } from './sites.ts';

type DeviceList = { devices: Device[]; nextPageToken?: string };

const presences = [
  ['', 'Any state'],
  ['offline', 'Offline'],
  ['online', 'Online'],
  ['unknown', 'Unknown'],
] as const;
/** Filters that a device page leads to. */
const narrowing = ['parent', 'tag', 'model', 'firmware'] as const;

/** The fleet by group. */
export function DevicesPage({ route }: { route: Route }): JSX.Element {
  const { query } = route;
  const state = query.get('state') ?? '';
  const groupId = query.get('groupId') ?? '';
  const site = query.get('site') ?? '';
  const groups = useGroups();
  const sites = useSites();
  const mayWrite = useMay('devices:write');
  const maySettings = useMay('settings:read');
  const ask = (text: string) => {
    const next = new URLSearchParams(location.hash.split('?')[1] ?? '');
    if (text) next.set('q', text);
    else next.delete('q');
    navigate(href(['devices'], next), { replace: true });
  };
  const others = Object.fromEntries(['q', ...narrowing].map((name) => [name, query.get(name) ?? '']));
  const search = searchOf({ state, groupId, site, ...others, pageSize: '200' }).toString();
  const list = useResource<DeviceList>(`/v1/devices?${search}`, { on: ['device', 'alert'] });
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Devices</h1>
        <span class="spacer" />
        {mayWrite ? <a href={href(['import'])}>Import</a> : null}
        {maySettings ? <a href={href(['quarantine'])}>Reports that could not be read</a> : null}
      </header>
      <search class="filters">
        <SearchBox
          label="Search devices"
          placeholder="Search id, name or site"
          asked={query.get('q') ?? ''}
          onAsk={ask}
        />
        <SelectFilter
          label="Group"
          name="groupId"
          value={groupId}
          options={[['', 'All groups'], ...groups.map((group) => [group, group] as const)]}
          route={route}
        />
        <SelectFilter
          label="Site"
          name="site"
          value={site}
          options={[['', 'All sites'], ...withChosen(sites, site).map((each) => [each, each] as const)]}
          route={route}
        />
        <SelectFilter label="State" name="state" value={state} options={presences} route={route} />
        {narrowing.map((name) => (
          <Narrowed key={name} name={name} route={route} />
        ))}
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

/** A site that was asked for may stand behind the first page of them. */
function withChosen(sites: readonly string[], site: string): readonly string[] {
  return site === '' || sites.includes(site) ? sites : [site, ...sites];
}

/** A filter that no box shows, and the way out of it. */
function Narrowed({ name, route }: { name: string; route: Route }): JSX.Element | null {
  const value = route.query.get(name);
  if (!value) return null;
  const without = new URLSearchParams(route.query);
  without.delete(name);
  return (
    <a class="button" href={href(['devices'], without)} aria-label={`Without ${name} ${value}`}>
      {name} {value} ×
    </a>
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
              <span class="quiet">
                {devices.filter(({ online }) => online).length} of {plural(devices.length, 'device')} online
              </span>
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

export function Presence({ state }: { state: DeviceState }): JSX.Element {
  return <span class={state === 'online' ? 'presence on' : 'presence off'}>{stateNames[state]}</span>;
}
