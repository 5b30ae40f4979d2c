import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Question } from './asked.ts';

/**
 * A process that runs tests in a copy of the project. It is replaced if a change ends it, or keeps its tests from
 * ending.
 */
export class Asker {
  readonly root: string;
  private child: Promise<ChildProcess> | undefined;

  constructor(root: string) {
    this.root = root;
  }

  /**
   * Whether some test fails.
   * @param longest time limit in milliseconds
   * @returns null: the tests exceeded the time limit
   */
  async isNoticed(question: Question, longest: number): Promise<boolean | null> {
    this.child ??= this.start();
    const child = await this.child;
    const limit = new AbortController();
    // If the process ends by itself, the change ended it: it is noticed.
    const answers = Promise.race([
      once(child, 'message', limit).then(([message]) => (message as { isNoticed: boolean }).isNoticed),
      once(child, 'exit', limit).then(() => true),
      wait(longest, null, limit),
    ]);
    child.send(question);
    const isNoticed = await answers;
    limit.abort();
    if (isNoticed === null || child.exitCode !== null || child.signalCode !== null) await this.end();
    return isNoticed;
  }

  /** Kills the process and those that it has started, because a process in an endless loop does not end by itself. */
  async end(): Promise<void> {
    const child = await this.child;
    this.child = undefined;
    if (!child?.pid) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }

  private async start(): Promise<ChildProcess> {
    const child = fork(join(this.root, 'tools/mutants/asked.ts'), {
      cwd: this.root,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, METADATA_SERVER_DETECTION: 'none' },
    });
    await once(child, 'message');
    return child;
  }
}
