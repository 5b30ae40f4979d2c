import { type Zippable, zipSync } from 'fflate';

/**
 * Zips files so that the same content gives the same bytes on every machine: sorted names, one mode, one time. The zip format stores local
 * time without a zone, so the time is created in the local zone and reads the same everywhere.
 */
export function zipFiles(files: Record<string, Uint8Array>): Uint8Array {
  const mtime = new Date(1980, 1, 1, 12);
  const regularFile = 0o100644;
  const entries: Zippable = {};
  for (const name of Object.keys(files).toSorted()) {
    entries[name] = [files[name] ?? new Uint8Array(), { mtime, os: 3, attrs: regularFile << 16, level: 9 }];
  }
  return zipSync(entries);
}
