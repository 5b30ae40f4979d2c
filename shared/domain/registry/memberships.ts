import type { Device } from '../device/device.ts';
import { type Instant, later } from '../time.ts';

/** A period in which a device belonged to a group. `to` null: it does. */
export type Membership = { groupId: string; from: Instant; to: Instant | null };

/** The present and former groups of a device. */
type GroupHistory = Pick<Device, 'groupId' | 'groupSince' | 'formerGroups'>;

/** Former groups that a device remembers. The ledger needs them for about an hour. */
const mostFormer = 20;
/** Stands for the oldest groups of a device that has moved more often: their time counts as unknown in the ledger. */
export const forgottenGroup = '';

/** What a person's move to another group changes of a device. */
export function movedFrom(
  { groupId, groupSince, formerGroups }: GroupHistory,
  at: Instant,
): Pick<Device, 'groupSince' | 'formerGroups'> {
  const left = { groupId, from: groupSince, to: later(groupSince, at) };
  const all = left.from < left.to ? [...formerGroups, left] : formerGroups;
  const [first, second, ...rest] = all;
  if (all.length <= mostFormer || !first || !second) return { groupSince: left.to, formerGroups: all };
  return { groupSince: left.to, formerGroups: [{ groupId: forgottenGroup, from: first.from, to: second.to }, ...rest] };
}

/** The groups of a device, oldest first. The last one is the present one. */
export function membershipsOf({ groupId, groupSince, formerGroups }: GroupHistory): Membership[] {
  return [...formerGroups, { groupId, from: groupSince, to: null }];
}
