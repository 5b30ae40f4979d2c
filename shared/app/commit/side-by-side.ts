/** Records that are handled concurrently. */
const width = 16;

/** Handles items concurrently, a few at a time. Rejects at the first failure, while the other items may still be handled. */
export async function sideBySide<T>(items: readonly T[], handle: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const work = async () => {
    for (const item of queue) await handle(item);
  };
  await Promise.all(Array.from({ length: width }, work));
}
