import type { Fault } from '../../errors.ts';
import { type DevicePatch, maxTags } from '../../schema/device/registry.ts';
import type { IdPattern } from '../../schema/settings/settings.ts';
import { unassigned } from '../../schema/vocabulary.ts';
import type { Device } from '../device/device.ts';
import { isSame } from '../same.ts';

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

type DeviceDescription = Pick<Device, 'deviceId' | 'name' | 'site' | 'parents' | 'tags'>;

/** Longer word prefixes have no label. A list finds devices by the short prefix and filters the result. */
const maxBeginning = 16;

export const parentLabel = (kind: string, id: string) => `parent ${kind}:${id}`;
export const tagLabel = (key: string, value: string) => `tag ${key}:${value}`;
/** The label of a device that has a word with this prefix. */
export const beginningLabel = (word: string) => `word ${[...word].slice(0, maxBeginning).join('')}`;

/** The labels of a device: its parents, its tags, and the prefixes of the words of its id, name and site. */
export function labelsOf(device: DeviceDescription): string[] {
  const { parents, tags } = device;
  const labels = [
    ...parents.map(({ kind, id }) => parentLabel(kind, id)),
    ...Object.entries(tags).map(([key, value]) => tagLabel(key, value)),
    ...foundWords(device).flatMap(beginningsOf),
  ];
  return [...new Set(labels)].toSorted();
}

/** The device with labels that match its present members. */
export function withLabels(device: Device): Device {
  return { ...device, labels: labelsOf(device) };
}

/** The words of a search text. */
export function wordsOf(text: string): string[] {
  return caseFolded(text).split(/\s+/u).filter(Boolean);
}

/** Whether a word of the device's id, name or site has this prefix. */
export function hasWord(device: DeviceDescription, beginning: string): boolean {
  return foundWords(device).some((word) => word.startsWith(beginning));
}

/** `Gate gbg-12` is found by `gate`, `gbg-12`, `gbg` and `12`. */
function foundWords({ deviceId, name, site }: DeviceDescription): string[] {
  const whole = [deviceId, name, site ?? ''].flatMap(wordsOf);
  return [...new Set([...whole, ...whole.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))])].filter(Boolean);
}

function caseFolded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function beginningsOf(word: string): string[] {
  const letters = [...word].slice(0, maxBeginning);
  return letters.map((_, index) => `word ${letters.slice(0, index + 1).join('')}`);
}

/** A device that nothing wrote since it was made has none. The next write, by a report, a due time or an import, adds them. */
export function isLabelled({ labels }: { labels?: readonly string[] }): boolean {
  return labels !== undefined && labels.length > 0;
}

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
export type DeviceMemberChange = { member: Member; from: unknown; to: unknown };

/** A device with a person's patch applied, and the faults. */
type RegistrationResult = { device: Device; faults: Fault[] };

/** The device with a person's patch: an absent member stays, and null clears it. */
export function withRegistry(before: Device, patch: DevicePatch): RegistrationResult {
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
export function changesOf(before: Device, after: Device): DeviceMemberChange[] {
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
