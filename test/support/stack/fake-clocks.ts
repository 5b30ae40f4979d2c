import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const library = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu']
  .map((folder) => join(folder, 'faketime', 'libfaketimeMT.so.1'))
  .find((path) => existsSync(path));

/** What this machine lacks to move the clocks of processes, as text. Null: nothing. */
export const missingForClocks = library ? null : "Debian's package faketime";

/** How long a process may go on with the time that it read last. */
const takesMs = 1000;

/** Wall clocks of single processes, which can be moved while they run. Monotonic clocks, and with them timers, go on as they are. */
export function createFakeClocks(folder: string) {
  mkdirSync(folder, { recursive: true });
  const fileOf = (part: string) => join(folder, part);
  const write = (part: string, seconds: number) => writeFileSync(fileOf(part), `${seconds < 0 ? '' : '+'}${seconds}\n`);
  return {
    environmentOf(part: string): Record<string, string> {
      write(part, 0);
      return {
        LD_PRELOAD: library ?? '',
        FAKETIME_TIMESTAMP_FILE: fileOf(part),
        FAKETIME_CACHE_DURATION: String(takesMs / 1000),
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        FAKETIME_DONT_RESET: '1',
        NO_FAKE_STAT: '1',
      };
    },
    /** Resolves when the process has noticed. */
    async move(part: string, seconds: number): Promise<void> {
      write(part, seconds);
      await new Promise((resolve) => setTimeout(resolve, takesMs + 300));
    },
  };
}
