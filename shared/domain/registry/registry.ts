import type { Fault } from '../../errors.ts';
import { type DevicePatch, maxTags } from '../../schema/device/registry.ts';
import type { Device } from '../device/device.ts';
import { isSame } from '../same.ts';

/** Members of a device that people set. */
const members = [
  'name',
  'groupId',
  'site',
  'parents',
  'tags',
  'coverage',
  'model',
  'firmware',
  'reporting',
] as const satisfies (keyof DevicePatch & keyof Device)[];
type Member = (typeof members)[number];

/**
 * Members whose value set by a person takes precedence over reports or settings. `model` and `firmware` are not among them: a report that carries
 * them replaces them.
 */
const heldByHand = ['name', 'groupId', 'reporting'] as const;

/** One member, before and after a change. */
export type MemberChange = { member: Member; from: unknown; to: unknown };

/** A device with a person's patch applied, and the faults. */
type Registered = { device: Device; faults: Fault[] };

/** The device with a person's patch: an absent member stays, and null clears it. */
export function withRegistry(before: Device, patch: DevicePatch): Registered {
  const given = members.filter((member) => patch[member] !== undefined);
  const values = Object.fromEntries(given.map((member) => [member, setValue(before, patch, member)]));
  const isHeld = (member: (typeof heldByHand)[number]) => {
    if (patch[member] === undefined) return before.setByHand.includes(member);
    return member !== 'name' || patch.name !== null;
  };
  const device: Device = { ...before, ...values, setByHand: heldByHand.filter(isHeld).toSorted() };
  return { device, faults: faultsOf(device) };
}

/** Kinds of places that have a member of their own in a device. */
const ownMembers = new Map([
  ['site', 'site'],
  ['group', 'groupId'],
]);

/** Faults that the schema cannot express. */
function faultsOf({ parents, tags }: Device): Fault[] {
  const misplaced = parents.flatMap(({ kind }, index) => {
    const member = ownMembers.get(kind);
    return member ? [{ pointer: `/parents/${index}/kind`, detail: `has its own member: ${member}` }] : [];
  });
  const count = Object.keys(tags).length;
  const surplus = { pointer: '/tags', detail: `would be ${count}; a device has at most ${maxTags}` };
  return count > maxTags ? [...misplaced, surplus] : misplaced;
}

/** The members that people can set and that differ. */
export function changesOf(before: Device, after: Device): MemberChange[] {
  return members
    .filter((member) => !isSame(before[member], after[member]))
    .map((member) => ({ member, from: before[member], to: after[member] }));
}

function setValue(before: Device, patch: DevicePatch, member: Member): unknown {
  switch (member) {
    case 'name':
      return patch.name ?? before.deviceId;
    case 'parents':
    case 'coverage':
      return patch[member] ?? [];
    case 'tags':
      return patch.tags ? mergedTags(before.tags, patch.tags) : {};
    default:
      return patch[member];
  }
}

function mergedTags(tags: Device['tags'], patch: Record<string, string | null>): Device['tags'] {
  const merged = Object.entries({ ...tags, ...patch });
  return Object.fromEntries(merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}
