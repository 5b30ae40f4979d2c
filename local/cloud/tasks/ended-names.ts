/** Names of ended tasks, which cannot be used again yet. */
export type EndedNames = {
  add(name: string, endedAt: number): void;
  has(name: string, now: number): boolean;
};

/** A name cannot be used again for about this long after its task has ended (Cloud Tasks reference). */
export const nameKeptMs = 3_600_000;
/** The real service does not guarantee the full hour either. This limits the memory. */
const namesKept = 1_000_000;

/** An empty list of ended names; times are epoch milliseconds and never go back. */
export function createEndedNames(): EndedNames {
  const names = new Map<string, number>();
  return {
    add(name, endedAt) {
      names.delete(name);
      names.set(name, endedAt);
      for (const [oldest, at] of names) {
        if (at + nameKeptMs > endedAt && names.size <= namesKept) break;
        names.delete(oldest);
      }
    },
    has(name, now) {
      const endedAt = names.get(name);
      return endedAt !== undefined && endedAt + nameKeptMs > now;
    },
  };
}
