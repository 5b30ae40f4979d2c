import type { Kind, Stored, World } from './ports.ts';

/** Most records of a kind that one sweep looks at: the next, a minute later, goes on. */
const sweepLimit = 5000;
/** Records that one query of a sweep reads. */
export const pageSize = 400;
/** Records that a sweep handles side by side. */
const concurrency = 16;

/** All records of a paged query, up to the limit of a sweep. */
export async function findAll<K extends Kind>(
  page: (after: Stored<K> | null) => Promise<Stored<K>[]>,
): Promise<Stored<K>[]> {
  const found: Stored<K>[] = [];
  while (found.length < sweepLimit) {
    const next = await page(found.at(-1) ?? null);
    found.push(...next);
    if (next.length < pageSize) break;
  }
  return found;
}

/** Handles records side by side, a few at a time. One that fails is logged and left to the next sweep: it must not stop the others. */
export async function forEachOf<K extends Kind>(
  { log }: World,
  records: readonly Stored<K>[],
  handle: (record: Stored<K>) => Promise<void>,
): Promise<void> {
  const queue = records.values();
  const work = async () => {
    for (const record of queue) {
      try {
        await handle(record);
      } catch (error) {
        log.error('sweep.failed', { id: record.id, error: String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
