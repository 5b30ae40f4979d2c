import type { Kind, Records, Stored, Write } from '../ports.ts';

/** Writes a record: a new one where none was read, else in place of exactly what was read. */
export function put<K extends Kind>(kind: K, id: string, data: Records[K], stored: Stored<K> | null): Write {
  const write = stored
    ? { kind: 'replace', in: kind, id, data, revision: stored.revision }
    : { kind: 'create', in: kind, id, data };
  return write as Write;
}
