import type { IdPattern } from '../../schema/settings/settings.ts';
import { unassigned } from '../../schema/vocabulary.ts';
import type { Device } from '../device/device.ts';

/** A new device with the group and site that its id implies, unless it already has a group. */
export function withPattern(device: Device, patterns: readonly IdPattern[] = []): Device {
  if (device.groupId !== unassigned || device.setByHand.includes('groupId')) return device;
  const found = patterns.find(({ pattern }) => fits(pattern, device.deviceId));
  return found ? { ...device, groupId: found.groupId, site: device.site ?? found.site ?? null } : device;
}

/** Searches each part between two `*` once, from the left, so that the time is linear in the length of the text. */
function fits(pattern: string, id: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return id === start;
  if (!id.startsWith(start) || !id.endsWith(end) || id.length < start.length + end.length) return false;
  let at = start.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= id.length - end.length;
}
