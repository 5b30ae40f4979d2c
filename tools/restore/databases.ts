import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Firestore } from '@google-cloud/firestore';

const exportName = 'drill';

/** The content of a database: for each collection the number of records and a digest of all. */
export type Contents = Record<string, { records: number; digest: string }>;

/** Reads a whole database. */
export async function contentsOf(client: Firestore): Promise<Contents> {
  const collections = await client.listCollections();
  const read = collections.map(async (collection) => {
    const { docs } = await collection.get();
    const lines = docs.map((document) => `${document.id} ${canonical(document.data())}`).toSorted();
    const digest = createHash('sha256').update(lines.join('\n')).digest('hex');
    return [collection.id, { records: docs.length, digest }] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** The same text for equal records, whatever the order of their members. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Collections that differ between two databases. */
export function differences(wanted: Contents, found: Contents): string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...names].filter((name) => JSON.stringify(wanted[name]) !== JSON.stringify(found[name])).toSorted();
}

/**
 * Exports the database of an emulator.
 * @returns the file from which a restore starts
 */
export async function exportAll(host: string, projectId: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-export-'));
  const database = `projects/${projectId}/databases/(default)`;
  const response = await fetch(`http://${host}/emulator/v1/projects/${projectId}:export`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ database, export_directory: folder, export_name: exportName }),
  });
  if (!response.ok) throw new Error(`The export failed with ${response.status}: ${await response.text()}`);
  return join(folder, exportName, `${exportName}.overall_export_metadata`);
}

/** Deletes all records of the database of an emulator. */
export async function wipe(host: string, projectId: string): Promise<void> {
  const address = `http://${host}/emulator/v1/projects/${projectId}/databases/(default)/documents`;
  const response = await fetch(address, { method: 'DELETE' });
  if (!response.ok) throw new Error(`The database was not emptied: ${response.status}`);
}
