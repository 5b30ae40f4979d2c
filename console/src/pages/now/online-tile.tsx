import type { JSX } from 'preact';
import type { Fleet } from '../../../../shared/schema/fleet/fleet.ts';
import { href } from '../../client/router.ts';
import { Sentence } from '../../components/sentence.tsx';
import { minuteTime } from '../../format.ts';
import { neverSeenWords } from '../devices/place-rows.ts';

/** How many devices are online, offline and unknown: as a number, a bar and text. */
export function OnlineTile({ fleet }: { fleet: Fleet | null }): JSX.Element {
  const devices = fleet?.devices ?? null;
  const { state = 'sees', since = null } = fleet?.platform ?? {};
  const isKnown = devices !== null && devices.online !== null && state !== 'blind';
  const share = (count: number | null) => `${((count ?? 0) * 100) / Math.max(1, heardOf(devices))}%`;
  return (
    <a class={isKnown ? 'tile online' : 'tile online unsure'} href={href(['devices'])}>
      <span class="tile-name">Online</span>
      <span class="tile-number">{isKnown || devices === null ? numberOf(devices) : 'Not known'}</span>
      <span class="meter" aria-hidden="true">
        <span class={isKnown ? 'part-online' : 'part-unknown'} style={{ width: share(devices?.online ?? 0) }} />
        <span class="part-offline" style={{ width: share(devices?.offline ?? 0) }} />
        <span class="part-unknown" style={{ width: share(unknownOf(devices)) }} />
      </span>
      <span class="tile-more">
        {state === 'blind' && since ? (
          <Sentence of={{ text: 'Since {since}. ', parts: { since: minuteTime(since) } }} />
        ) : null}
        {devices ? <Words devices={devices} isKnown={isKnown} /> : 'Reading …'}
      </span>
    </a>
  );
}

function numberOf(devices: Fleet['devices'] | null): string {
  if (!devices || heardOf(devices) === 0) return '–';
  return devices.onlinePercent === null ? 'Not known' : `${devices.onlinePercent}%`;
}

/** While no sweep runs, all devices that are not known to be offline are unknown. */
function unknownOf(devices: Fleet['devices'] | null): number {
  if (!devices) return 0;
  return devices.online === null ? heardOf(devices) - devices.offline : devices.unknown;
}

function heardOf(devices: Fleet['devices'] | null): number {
  return devices ? devices.total - devices.neverSeen : 0;
}

function Words({ devices, isKnown }: { devices: Fleet['devices']; isKnown: boolean }): JSX.Element {
  const { online, offline, neverSeen } = devices;
  const unknown = unknownOf(devices);
  return (
    <>
      {online === null || !isKnown ? null : (
        <>
          <strong>{online.toLocaleString()}</strong> of{' '}
        </>
      )}
      <strong>{heardOf(devices).toLocaleString()}</strong> devices, {offline.toLocaleString()} offline
      {unknown > 0 ? `, ${unknown.toLocaleString()} unknown` : ''}
      {neverSeenWords(neverSeen)}
    </>
  );
}
