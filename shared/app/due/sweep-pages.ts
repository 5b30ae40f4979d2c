import { sideBySide } from '../commit/side-by-side.ts';
import type { Kind, Stored, World } from '../ports.ts';

/** Records that one query of a sweep reads. */
export const pageSize = 400;

/** All records of a paged query, at most about `limit`. */
export async function findAll<K extends Kind>(
  limit: number,
  page: (after: Stored<K> | null) => Promise<Stored<K>[]>,
): Promise<Stored<K>[]> {
  const found: Stored<K>[] = [];
  while (found.length < limit) {
    const next = await page(found.at(-1) ?? null);
    found.push(...next);
    if (next.length < pageSize) break;
  }
  return found;
}

/** Handles records concurrently, a few at a time. A failure is logged and left to the next sweep, so that it does not stop the others. */
export async function forEachOf<K extends Kind>(
  { log }: World,
  records: readonly Stored<K>[],
  handle: (record: Stored<K>) => Promise<void>,
): Promise<void> {
  await sideBySide(records, async (record) => {
    try {
      await handle(record);
    } catch (error) {
      log.error('sweep.failed', { id: record.id, error: String(error) });
    }
  });
}

/**
 * Runs the parts of a sweep in order. A part that fails does not stop the others.
 * @throws the error of the first failed part after all have run, so that the platform repeats the sweep
 */
export async function inTurn<Part extends string>(
  world: World,
  parts: Record<Part, (world: World) => Promise<number>>,
): Promise<Record<Part, number>> {
  const counts: Partial<Record<Part, number>> = {};
  const faults: unknown[] = [];
  for (const part of Object.keys(parts) as Part[]) {
    try {
      counts[part] = await parts[part](world);
    } catch (error) {
      world.log.error('sweep.failed', { part, error: String(error) });
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return counts as Record<Part, number>;
}
