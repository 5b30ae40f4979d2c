import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { Site } from '../../../../shared/schema/place/place.ts';
import { useResource } from '../../client/resource.ts';
import { href, searchOf } from '../../client/router.ts';
import { useMore } from '../../components/more.ts';
import { Show } from '../../components/states.tsx';
import { DeviceRow, NoDevices } from './device-row.tsx';
import { areFew, countWords, nameOf, placesInOrder } from './place-rows.ts';
import { presenceOf } from './presence.tsx';

type SiteList = { sites: Site[]; nextPageToken?: string };
type DeviceList = { devices: Device[]; nextPageToken?: string };

/** The places of the fleet with the service's counts. The cameras of a place are read when it is opened. */
export function DevicesByPlace({ query }: { query: URLSearchParams }): JSX.Element {
  const site = query.get('site');
  const path = `/v1/sites?${searchOf({ groupId: query.get('groupId') ?? '', pageSize: '200' })}`;
  const list = useResource<SiteList>(path, { on: ['device'], calmMs: 30_000 });
  return (
    <Show of={list} lines={14}>
      {(data) => {
        const sites = data.sites.filter(({ kind, id }) => !site || (kind === 'site' && id === site));
        return sites.length === 0 && data.nextPageToken === undefined ? (
          <NoDevices />
        ) : (
          <Places key={`${path} ${site}`} first={{ ...data, sites }} path={path} isOpen={areFew(sites)} />
        );
      }}
    </Show>
  );
}

type PlacesProps = { first: SiteList; path: string; isOpen: boolean };

function Places({ first, path, isOpen }: PlacesProps): JSX.Element {
  const { all, loadMore } = useMore(path, 'sites', first, keyOf);
  return (
    <>
      {placesInOrder(all).map((site) => (
        <PlaceSection key={keyOf(site)} site={site} isOpenAtFirst={isOpen} />
      ))}
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          More places
        </button>
      ) : null}
    </>
  );
}

function keyOf({ groupId, kind, id }: Site): string {
  return `${groupId} ${kind} ${id}`;
}

function PlaceSection({ site, isOpenAtFirst }: { site: Site; isOpenAtFirst: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { kind, id, groupId, incidentId } = site;
  const search = searchOf({ groupId, site: kind === 'site' ? id : '', pageSize: '200' });
  const path = `/v1/devices?${search}`;
  const list = useResource<DeviceList>(isOpen ? path : null, { on: ['device', 'alert'], calmMs: 10_000 });
  const name = nameOf(site);
  const isWhole = list.data !== null && list.data.nextPageToken === undefined;
  return (
    <section class="panel device-group" aria-label={name}>
      <header class="panel-head">
        <h2>
          <button type="button" class="plain expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {name} {name === groupId ? null : <span class="quiet">{groupId}</span>}
          </button>
        </h2>
        <span class={site.devices.offline > 0 ? 'away' : 'quiet'}>
          {isWhole && list.data ? presenceOf(standingAt(site, list.data.devices)) : countWords(site)}
        </span>
        {incidentId ? <a href={href(['incidents', incidentId])}>Incident</a> : null}
      </header>
      {isOpen ? (
        <Show of={list} lines={Math.min(8, site.devices.total)}>
          {(data) => <Cameras key={path} site={site} path={path} first={data} />}
        </Show>
      ) : null}
    </section>
  );
}

function Cameras({ site, path, first }: { site: Site; path: string; first: DeviceList }): JSX.Element {
  const { all, loadMore } = useMore(path, 'devices', first, ({ deviceId }: Device) => deviceId);
  return (
    <>
      <ul class="device-list">
        {standingAt(site, all).map((device) => (
          <DeviceRow key={device.deviceId} device={device} />
        ))}
      </ul>
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          More devices
        </button>
      ) : null}
    </>
  );
}

/** A group counts as the place only of its cameras without a site. */
function standingAt({ kind }: Site, devices: readonly Device[]): readonly Device[] {
  return kind === 'group' ? devices.filter(({ site }) => site === null) : devices;
}
