import type { JSX } from 'preact';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { DeviceState } from '../../../../shared/schema/vocabulary.ts';
import { plural } from '../../format.ts';
import { neverSeenWords } from './place-rows.ts';

const stateNames: Record<DeviceState, string> = {
  online: 'Online',
  offline: 'Offline',
  unknown: 'Unknown',
  'never-seen': 'Never seen',
};
const presenceTones: Record<DeviceState, string> = {
  online: 'on',
  offline: 'off',
  unknown: 'unsure',
  'never-seen': 'unsure',
};

export function Presence({ state }: { state: DeviceState }): JSX.Element {
  return <span class={`presence ${presenceTones[state]}`}>{stateNames[state]}</span>;
}

/** `3 of 5 devices online, 1 unknown, 2 never seen` */
export function presenceOf(devices: readonly Device[]): string {
  const count = (wanted: DeviceState) => devices.filter(({ state }) => state === wanted).length;
  const [unknown, neverSeen] = [count('unknown'), count('never-seen')];
  const heard = plural(devices.length - neverSeen, 'device');
  return `${count('online')} of ${heard} online${unknown > 0 ? `, ${unknown} unknown` : ''}${neverSeenWords(neverSeen)}`;
}
