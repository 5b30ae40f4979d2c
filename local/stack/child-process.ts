import { fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Answer, Instruction } from './child.ts';

/** A started process of the stack. */
export type RunningProcess = {
  pid: number;
  exited: Promise<unknown>;
  /** Asks it to end and waits; kills it after 10 s. */
  stop(): Promise<void>;
};

const patienceMs = 10_000;
const childFile = fileURLToPath(new URL('./child.ts', import.meta.url));

/**
 * Starts a service in its own process and waits until it is ready. The new process ends when this one does. It has its
 * own process group, so that after Ctrl-C in the terminal we decide the order of stopping.
 * @throws Error when the service does not start
 */
export async function spawnChild(
  instruction: Instruction,
  environment: Record<string, string | undefined>,
  logFile: string,
): Promise<RunningProcess> {
  const log = openSync(logFile, 'a');
  const child = fork(childFile, { env: environment, execArgv: [], stdio: ['ignore', log, log, 'ipc'], detached: true });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const answer = await new Promise<Answer>((resolve) => {
    child.once('message', (message) => resolve(message as Answer));
    child.once('error', (error) => resolve({ status: 'failed', message: error.message }));
    child.once('exit', (code, signal) => {
      resolve({ status: 'failed', message: `ended with ${signal ?? `code ${code}`} while it started` });
    });
    child.send(instruction, () => {});
  });
  if (answer.status === 'failed') {
    child.kill('SIGKILL');
    throw new Error(`${answer.message} (see ${logFile})`);
  }
  return {
    pid: child.pid ?? 0,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
