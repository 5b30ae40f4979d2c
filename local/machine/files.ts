import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

/** Replaces a file in one step: readers see the old content or the new, even after a crash midway. */
export function replaceFile(path: string, content: string | Buffer, mode = 0o644): void {
  const fresh = `${path}.${process.pid}.new`;
  const file = openSync(fresh, 'w', mode);
  try {
    writeSync(file, content as string);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
}

/** Writes to a log. On a full disk lines are lost, and no work. */
export function writeIfRoom(file: number, chunk: string | Uint8Array): void {
  try {
    writeSync(file, chunk as string);
  } catch {
    // The work goes on without this line.
  }
}

/** The JSON in a file, or null where there is no such file or it is not JSON. */
export function readJsonFile<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
