import { newClocks } from './clocks.ts';
import type { Structure } from './structure.ts';

/** A count whose goal is 0, and its present limit: more is refused. */
export type Count = { name: string; value: number; ceiling: number; found: readonly string[] };

export type Ceilings = {
  crowded: number;
  up: number;
  filesInCircles: number;
  roomsInCircles: number;
  /** Per file, so that removing a clock in one file does not allow a new one in another. */
  clocks: Readonly<Record<string, number>>;
  /** Types that may have the name of a participle. */
  participles: readonly string[];
  repeated: number;
  decisions: number;
  longCalls: number;
};

export function countsOf(structure: Structure, ceilings: Ceilings): Count[] {
  const { crowded, up, fileCircles, roomCircles, clocks, words } = structure;
  // Counts the members of circles, because merging two circles into one is no improvement.
  const circles = (name: string, found: readonly string[][], ceiling: number): Count => ({
    name,
    value: found.flat().length,
    ceiling,
    found: found.map((circle) => circle.join(', ')),
  });
  const strange = newClocks(clocks, ceilings.clocks);
  const participles = words.participles.filter(({ name }) => !ceilings.participles.includes(name));
  const unneeded = ceilings.participles.filter((name) => !words.participles.some((each) => each.name === name));
  return [
    { name: 'folders of more than 25 files', value: crowded.length, ceiling: ceilings.crowded, found: crowded },
    { name: 'arrows that run up', value: up.length, ceiling: ceilings.up, found: up },
    circles('files in circles', fileCircles, ceilings.filesInCircles),
    circles('rooms in circles', roomCircles, ceilings.roomsInCircles),
    { name: 'clocks that are not known', value: strange.length, ceiling: 0, found: strange },
    {
      name: 'types named by participles',
      value: participles.length,
      ceiling: 0,
      found: participles.map(({ file, name }) => `${file}: ${name}`),
    },
    { name: 'participles that no type needs', value: unneeded.length, ceiling: 0, found: unneeded },
    {
      name: 'names of types that are declared more than once',
      value: words.repeated.length,
      ceiling: ceilings.repeated,
      found: [words.repeated.toSorted().join(', ')],
    },
    {
      name: 'decisions by name outside the domain',
      value: words.decisions.length,
      ceiling: ceilings.decisions,
      found: words.decisions,
    },
    {
      name: 'functions of more than five parameters',
      value: words.longCalls.length,
      ceiling: ceilings.longCalls,
      found: words.longCalls,
    },
  ];
}

/** The printed lines of a count. */
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
