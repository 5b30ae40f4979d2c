import type { Device } from '../device/device.ts';

type Described = Pick<Device, 'deviceId' | 'name' | 'site' | 'parents' | 'tags'>;

/** Longer word prefixes have no label. A list finds devices by the short prefix and filters the result. */
const maxBeginning = 16;

export const parentLabel = (kind: string, id: string) => `parent ${kind}:${id}`;
export const tagLabel = (key: string, value: string) => `tag ${key}:${value}`;
/** The label of a device that has a word with this prefix. */
export const beginningLabel = (word: string) => `word ${[...word].slice(0, maxBeginning).join('')}`;

/** The labels of a device: its parents, its tags, and the prefixes of the words of its id, name and site. */
export function labelsOf(device: Described): string[] {
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
export function hasWord(device: Described, beginning: string): boolean {
  return foundWords(device).some((word) => word.startsWith(beginning));
}

/** `Gate gbg-12` is found by `gate`, `gbg-12`, `gbg` and `12`. */
function foundWords({ deviceId, name, site }: Described): string[] {
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

/** Records from before labels have none. The next write of the device, by a report, a due time or an import, adds them. */
export function isLabelled({ labels }: { labels?: readonly string[] }): boolean {
  return labels !== undefined && labels.length > 0;
}
