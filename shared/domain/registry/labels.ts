import type { Device } from '../device/device.ts';

type Described = Pick<Device, 'deviceId' | 'name' | 'site' | 'parents' | 'tags'>;

/** Beginnings of words longer than this are not labels of their own: a list looks into what it found by them. */
const maxBeginning = 16;

export const parentLabel = (kind: string, id: string) => `parent ${kind}:${id}`;
export const tagLabel = (key: string, value: string) => `tag ${key}:${value}`;
/** The label that a device has where one of its words begins so. */
export const beginningLabel = (word: string) => `word ${[...word].slice(0, maxBeginning).join('')}`;

/** What a device is found by: all that it hangs on, its tags, and the beginnings of the words of its id, name and site. */
export function labelsOf(device: Described): string[] {
  const { parents, tags } = device;
  const labels = [
    ...parents.map(({ kind, id }) => parentLabel(kind, id)),
    ...Object.entries(tags).map(([key, value]) => tagLabel(key, value)),
    ...foundWords(device).flatMap(beginningsOf),
  ];
  return [...new Set(labels)].toSorted();
}

/** The same device with the labels that fit what it is called and where it hangs. */
export function withLabels(device: Device): Device {
  return { ...device, labels: labelsOf(device) };
}

/** What a person types into a search, word by word. */
export function wordsOf(text: string): string[] {
  return folded(text).split(/\s+/u).filter(Boolean);
}

/** Whether a word of the device's id, name or site begins so. */
export function hasWord(device: Described, beginning: string): boolean {
  return foundWords(device).some((word) => word.startsWith(beginning));
}

/** `Gate gbg-12` is found by `gate`, `gbg-12`, `gbg` and `12`. */
function foundWords({ deviceId, name, site }: Described): string[] {
  const whole = [deviceId, name, site ?? ''].flatMap(wordsOf);
  return [...new Set([...whole, ...whole.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))])].filter(Boolean);
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function beginningsOf(word: string): string[] {
  const letters = [...word].slice(0, maxBeginning);
  return letters.map((_, index) => `word ${letters.slice(0, index + 1).join('')}`);
}
