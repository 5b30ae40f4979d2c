import type { JSX } from 'preact';
import type { Fleet } from '../../../../shared/schema/fleet/fleet.ts';
import { href } from '../../client/router.ts';

/** How many devices are online, offline and unknown: as a number, a bar and text. */
export function OnlineTile({ devices }: { devices: Fleet['devices'] | null }): JSX.Element {
  const isKnown = devices !== null && devices.online !== null;
  const share = (count: number | null) => `${((count ?? 0) * 100) / Math.max(1, devices?.total ?? 1)}%`;
  return (
    <a class={isKnown ? 'tile online' : 'tile online unsure'} href={href(['devices'])}>
      <span class="tile-name">Online</span>
      <span class="tile-number">{numberOf(devices)}</span>
      <span class="meter" aria-hidden="true">
        <span class="part-online" style={{ width: share(devices?.online ?? 0) }} />
        <span class="part-offline" style={{ width: share(devices?.offline ?? 0) }} />
        <span class="part-unknown" style={{ width: share(unknownOf(devices)) }} />
      </span>
      <span class="tile-more">{devices ? <Words devices={devices} /> : 'Reading …'}</span>
    </a>
  );
}

function numberOf(devices: Fleet['devices'] | null): string {
  if (!devices || devices.total === 0) return '–';
  return devices.onlinePercent === null ? 'Not known' : `${devices.onlinePercent}%`;
}

/** While no sweep runs, all devices that are not known to be offline are unknown. */
function unknownOf(devices: Fleet['devices'] | null): number {
  if (!devices) return 0;
  return devices.online === null ? devices.total - devices.offline : devices.unknown;
}

function Words({ devices }: { devices: Fleet['devices'] }): JSX.Element {
  const { total, online, offline } = devices;
  const unknown = unknownOf(devices);
  return (
    <>
      {online === null ? null : (
        <>
          <strong>{online.toLocaleString()}</strong> of{' '}
        </>
      )}
      <strong>{total.toLocaleString()}</strong> devices, {offline.toLocaleString()} offline
      {unknown > 0 ? `, ${unknown.toLocaleString()} unknown` : ''}
    </>
  );
}
