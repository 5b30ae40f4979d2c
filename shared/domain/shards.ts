/** Shards for indexed times that are written often, because an index on one rising value takes only about 500 writes a second. */
export const shardCount = 64;
export const allShards: readonly number[] = Array.from({ length: shardCount }, (_, shard) => shard);

/** The shard of a record by its id. */
export function shardOf(id: string): number {
  let hash = 0;
  for (const char of id) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash % shardCount;
}
