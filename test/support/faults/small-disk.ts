import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

type Pids = Readonly<Record<string, number>>;

/** A folder whose disk can be filled: a file system in memory, or, where mounting is not allowed, a limit of the size of files. */
export function openSmallDisk(folder: string) {
  mkdirSync(folder);
  const isMounted = succeeds('mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill(pids: Pids): void {
      if (!isMounted) return limitFiles(pids, '1');
      const file = openSync(filler, 'w');
      for (let bytes = 2 ** 20; bytes > 0; ) {
        try {
          writeSync(file, Buffer.alloc(bytes));
        } catch {
          bytes = Math.floor(bytes / 2);
        }
      }
      closeSync(file);
    },
    free(pids: Pids): void {
      if (!isMounted) return limitFiles(pids, 'unlimited');
      rmSync(filler);
    },
    close(): void {
      if (isMounted) execFileSync('umount', ['-l', folder]);
    },
  };
}

function limitFiles({ main: _, ...pids }: Pids, bytes: string): void {
  for (const pid of Object.values(pids)) execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
}

function succeeds(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
