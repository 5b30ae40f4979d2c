import type { DecisionReads, Kind, Reads, Stored, Write } from '../ports.ts';

/** The record before a write, as it was read for the decision or as it is now. Null: the write creates it. */
export async function recordBefore<K extends Kind>(
  { store }: Reads<K>,
  kind: K,
  write: Pick<Write, 'kind' | 'id'>,
  read?: DecisionReads,
): Promise<Stored<K> | null> {
  if (write.kind === 'create') return null;
  const known = knownIn(read, kind, write.id);
  if (known !== undefined) return known as Stored<K> | null;
  const [stored = null] = await store.get(kind, [write.id]);
  return stored;
}

function knownIn(
  read: DecisionReads | undefined,
  kind: Kind,
  id: string,
): Stored<'alerts' | 'devices'> | null | undefined {
  if (kind === 'alerts') return read?.alerts.get(id);
  return kind === 'devices' && read?.device?.id === id ? read.device : undefined;
}
