import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { writeIfRoom } from './files.ts';

/**
 * A program that is not ours, e.g. an emulator. A shell (the guard) runs it and ends it when our process ends. `pid` is
 * the id of the program, not of the guard.
 */
export type GuardedProcess = {
  pid: number;
  /** Resolves when the program has ended, with the end of its output. */
  exited: Promise<{ lastWords: string }>;
  /** Asks the program to end and waits. Kills it after 10 s. */
  stop(): Promise<void>;
};

/**
 * Runs "$@" together with a reader of a pipe to which nothing is written. The pipe closes when our process ends, even
 * by kill -9, and the guard then kills the program. The guard writes the program's process id to file descriptor 3.
 */
const guardScript = `
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
program=$!
echo "$program" >&3
exec 3>&-
(cat <&4 >/dev/null; kill -9 "$program") >/dev/null 2>&1 &
reader=$!
exec 4<&-
wait "$program"
kill "$reader"
`;
const keptCharacters = 2000;
const patienceMs = 10_000;

/**
 * Starts a program that cannot notice the end of this process by itself. It has its own process group, so that Ctrl-C in the terminal does
 * not end it before us. Its output is appended to `logFile`, or discarded.
 */
export async function spawnGuarded(
  program: string,
  args: string[],
  logFile: string | null,
  env: Record<string, string | undefined> = process.env,
): Promise<GuardedProcess> {
  const guard = spawn('sh', ['-c', guardScript, 'sh', program, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const log = logFile === null ? null : openSync(logFile, 'a');
  let lastWords = '';
  for (const stream of [guard.stdout, guard.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      if (log !== null) writeIfRoom(log, chunk);
      lastWords = (lastWords + chunk.toString('utf8')).slice(-keptCharacters);
    });
  }
  const exited = new Promise<{ lastWords: string }>((resolve) => {
    guard.once('close', () => {
      guard.stdin.destroy();
      if (log !== null) closeSync(log);
      resolve({ lastWords: lastWords.trim() });
    });
  });
  const pid = await new Promise<number>((resolve, reject) => {
    guard.once('error', reject);
    guard.stdio[3]?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString('utf8'))));
  });
  return {
    pid,
    exited,
    async stop() {
      signal(pid, 'SIGTERM');
      const timer = setTimeout(() => signal(pid, 'SIGKILL'), patienceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}
