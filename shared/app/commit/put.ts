import type { Kind, Records, Stored, Write } from '../ports.ts';

/** Writes a record: creates it where none was read, else replaces exactly the state that was read. */
export function put<K extends Kind>(kind: K, id: string, data: Records[K], stored: Stored<K> | null): Write {
  const write = stored
    ? { kind: 'replace', in: kind, id, data, revision: stored.revision }
    : { kind: 'create', in: kind, id, data };
  return write as Write;
}
