import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from './files.ts';

/** The process that holds a data directory. `startedAt` distinguishes it from a later process with the same id. */
type Holder = { pid: number; startedAt: string | null };

/**
 * Locks a data directory for this process. Returns a function that unlocks it. The lock of a killed process is taken over.
 * @throws Error that names the process with the lock
 */
export function lockDirectory(dataDir: string): () => void {
  const path = join(dataDir, 'lock.json');
  const own: Holder = { pid: process.pid, startedAt: startOf(process.pid) };
  const take = () => writeFileSync(path, JSON.stringify(own), { flag: 'wx' });
  try {
    take();
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    const holder = readJsonFile<Holder>(path);
    if (holder && isRunning(holder)) {
      throw new Error(`${dataDir} is in use by another run (process ${holder.pid}). Stop it, or give --data-dir.`);
    }
    rmSync(path, { force: true });
    take();
  }
  return () => rmSync(path, { force: true });
}

function isRunning({ pid, startedAt }: Holder): boolean {
  const start = startOf(pid);
  return start !== null && start === startedAt;
}

/** When a process started, as the system writes it. Null where there is no such process. */
function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)])
        .toString()
        .trim();
    // The name, field 2, may hold spaces and brackets; the start time is field 22.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return fields?.[0] === 'Z' ? null : (fields?.[19] ?? null);
  } catch {
    return null;
  }
}
