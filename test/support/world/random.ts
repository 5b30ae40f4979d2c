/** A reproducible source of randomness: the same seed gives the same run (mulberry32). */
export type Random = ReturnType<typeof createRandom>;

export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (share: number) => next() < share,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    /** Moves each item by at most `reach` places. */
    shuffledWithin: <T>(items: readonly T[], reach: number): T[] =>
      items
        .map((item, index) => ({ item, key: index + next() * reach }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ item }) => item),
  };
}
