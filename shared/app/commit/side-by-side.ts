/** Records that are handled at a time. */
const width = 16;

/** Handles items side by side, a few at a time. The first that fails ends it. */
export async function sideBySide<T>(items: readonly T[], handle: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const work = async () => {
    for (const item of queue) await handle(item);
  };
  await Promise.all(Array.from({ length: width }, work));
}
