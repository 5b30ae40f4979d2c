/** Wrong usage of the command line. It ends with status 2. */
export class UsageError extends Error {}

/** The most similar known word, if the given one looks like a typing error. */
export function nearest(word: string, known: readonly string[]): string | null {
  const [best] = known
    .map((each) => ({ each, distance: distanceOf(word, each) }))
    .filter(({ each, distance }) => distance <= Math.max(1, Math.floor(each.length / 3)))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.each ?? null;
}

/**
 * An error such as `There is no command "alrts": did you mean alerts?`. Without a similar word it lists the known ones.
 */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  const near = nearest(word, known);
  const hint = near === null ? `there are ${known.join(', ')}` : `did you mean ${near}?`;
  return new UsageError(`There is no ${what} "${word}": ${hint}`);
}

/** The least number of insertions, removals and replacements that turn one word into the other. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, right] of [...b].entries()) {
      const [across = 0, up = 0] = [row[j], row[j + 1]];
      next.push(Math.min(across + (left === right ? 0 : 1), up + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
