import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonFile } from './files.ts';

/** Who holds a data directory. `startedAt` tells a process from a later one that got the same id. */
type Holder = { pid: number; startedAt: string | null };

/**
 * Takes a data directory for this process; answers how to give it back. A lock whose holder was killed is taken over.
 * @throws Error that names the process which holds it
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

/** When a process started, in the words of the system, or null where there is none. */
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
