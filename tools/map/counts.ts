import { newClocks } from './clocks.ts';
import type { Structure } from './structure.ts';

/** Something that must come to be 0, and how much of it is known of: more is refused. */
export type Count = { name: string; value: number; ceiling: number; found: readonly string[] };

export type Ceilings = {
  crowded: number;
  up: number;
  filesInCircles: number;
  roomsInCircles: number;
  /** By file, so that a clock that is mended makes no room for another elsewhere. */
  clocks: Readonly<Record<string, number>>;
};

export function countsOf(structure: Structure, ceilings: Ceilings): Count[] {
  const { crowded, up, fileCircles, roomCircles, clocks } = structure;
  // Counted by what takes part: two circles that grow into one are no progress.
  const circles = (name: string, found: readonly string[][], ceiling: number): Count => ({
    name,
    value: found.flat().length,
    ceiling,
    found: found.map((circle) => circle.join(', ')),
  });
  const strange = newClocks(clocks, ceilings.clocks);
  return [
    { name: 'folders of 15 files or more', value: crowded.length, ceiling: ceilings.crowded, found: crowded },
    { name: 'arrows that run up', value: up.length, ceiling: ceilings.up, found: up },
    circles('files in circles', fileCircles, ceilings.filesInCircles),
    circles('rooms in circles', roomCircles, ceilings.roomsInCircles),
    { name: 'clocks that are not known', value: strange.length, ceiling: 0, found: strange },
  ];
}

/** A count with what it counts, as it is printed. */
export function linesOf({ name, value, ceiling, found }: Count): string[] {
  const verdict =
    value > ceiling
      ? `, at most ${ceiling} known: REFUSED`
      : value < ceiling
        ? `; lower its ceiling of ${ceiling}`
        : '';
  return [`${name}: ${value}${verdict}`, ...found.map((line) => `  ${line}`)];
}

export function isRefused({ value, ceiling }: Count): boolean {
  return value > ceiling;
}
