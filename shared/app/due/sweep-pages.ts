import { type Instant, msBetween } from '../../domain/time.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { type Kind, pause, type Stored, type World } from '../ports.ts';

/** Records that one query of a sweep reads. */
export const pageSize = 400;

/** Limits of one query of a sweep. `pace`: at most `count` records per `ms`, because others write at the same time. */
export type SweepBounds = { limit: number; until: Instant; pace?: { count: number; ms: number } };

/**
 * Handles all records of a paged query, one page at a time and a few records concurrently, up to about `limit` records and until a time. A failure is
 * logged and left to the next sweep. The first page is always handled: otherwise a part of the sweep would never run when earlier parts use up the
 * time.
 * @returns whether there may be more
 */
export async function forEachFound<K extends Kind>(
  world: World,
  { limit, until, pace = { count: pageSize, ms: 0 } }: SweepBounds,
  page: (after: Stored<K> | null) => Promise<Stored<K>[]>,
  handle: (record: Stored<K>) => Promise<void>,
): Promise<boolean> {
  let last: Stored<K> | null = null;
  for (let found = 0; found < limit && (found === 0 || world.now() <= until); ) {
    const next: Stored<K>[] = await page(last);
    for (let from = 0; from < next.length; from += pace.count) {
      if (found + from > 0 && world.now() > until) return true;
      const startedAt = world.now();
      const some = next.slice(from, from + pace.count);
      await forEachOf(world, some, handle);
      const restMs = (pace.ms * some.length) / pace.count - msBetween(startedAt, world.now());
      if (restMs > 0) await pause(world, restMs);
    }
    if (next.length < pageSize) return false;
    found += next.length;
    last = next.at(-1) ?? null;
  }
  return true;
}

/**
 * Handles records concurrently, a few at a time. A failed one does not stop the others: it is tried once more after them, and then left to the next
 * sweep.
 */
export async function forEachOf<K extends Kind>(
  { log }: World,
  records: readonly Stored<K>[],
  handle: (record: Stored<K>) => Promise<void>,
): Promise<void> {
  const failed: Stored<K>[] = [];
  const noted = (record: Stored<K>) => handle(record).catch(() => void failed.push(record));
  await sideBySide(records, noted);
  await sideBySide(failed.splice(0), async (record) => {
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
