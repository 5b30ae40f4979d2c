import type { JSX } from 'preact';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { DeviceState } from '../../../../shared/schema/vocabulary.ts';
import { plural } from '../../format.ts';

const stateNames: Record<DeviceState, string> = { online: 'Online', offline: 'Offline', unknown: 'Unknown' };
const presenceTones: Record<DeviceState, string> = { online: 'on', offline: 'off', unknown: 'unsure' };

export function Presence({ state }: { state: DeviceState }): JSX.Element {
  return <span class={`presence ${presenceTones[state]}`}>{stateNames[state]}</span>;
}

/** `3 of 5 devices online, 1 unknown` */
export function presenceOf(devices: readonly Device[]): string {
  const count = (wanted: DeviceState) => devices.filter(({ state }) => state === wanted).length;
  const unknown = count('unknown');
  return `${count('online')} of ${plural(devices.length, 'device')} online${unknown > 0 ? `, ${unknown} unknown` : ''}`;
}
