import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** A program of `test/bench/programs` in its own process, so that its CPU and ours are measured separately. */
export type Program<Ready> = {
  ready: Ready;
  /** Asks it something and waits for the answer. */
  ask<Answer>(question: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

/** Starts a program and waits for the first message that it sends. */
export async function startProgram<Ready>(
  name: string,
  given: unknown = null,
  environment: Record<string, string> = {},
): Promise<Program<Ready>> {
  const path = join(import.meta.dirname, `../programs/${name}-program.ts`);
  const child = fork(path, [JSON.stringify(given)], {
    // The log is discarded: only the cost of making its lines is ours, the cost of writing them is the platform's.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  });
  const ready = await messageOf<Ready>(child, name);
  return {
    ready,
    ask: async <Answer>(question: unknown) => {
      const answer = messageOf<Answer>(child, name);
      child.send(question as object);
      return answer;
    },
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

function messageOf<T>(child: ChildProcess, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`${name} ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });
}
