import type { RunningProcess } from './child-process.ts';

/** One part of the stack. `kind` decides how it restarts after a crash: the platform restarts functions at once. */
export type Part = { name: string; kind: 'function' | 'dependency'; start(): Promise<RunningProcess> };

export type Supervisor = {
  /**
   * Starts a part and keeps it running.
   * @throws Error when its first start fails
   */
  start(part: Part): Promise<void>;
  /** Ends a part by SIGKILL, like a crash. It restarts by the rules of its kind. */
  kill(name: string): Promise<void>;
  /** Restarts a part at once, also one that was stopped. */
  restart(name: string): Promise<void>;
  /** Stops parts concurrently. Names that were never started are ignored. */
  stop(...names: string[]): Promise<void>;
  pids(): Record<string, number>;
};

export type SupervisorOptions = {
  /** How long a dependency that ended stays away. */
  dependencyRestartMs: number;
  /** Called with one line about a process that ended unexpectedly or does not restart. */
  onProblem(line: string): void;
  /** Called when process ids have changed. */
  onChange(): void;
};

type Kept = {
  part: Part;
  running: RunningProcess | null;
  startedAt: number;
  quickDeaths: number;
  isWanted: boolean;
  timer: NodeJS.Timeout | undefined;
  starting: Promise<void> | null;
};

/** A function that ends this soon after its start restarts more slowly each time, from the first delay to the longest. */
const quickDeathMs = 2000;
const restartMs = { first: 250, longest: 10_000 };

/** Keeps the parts of a stack running. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const parts = new Map<string, Kept>();
  const find = (name: string): Kept => {
    const kept = parts.get(name);
    if (!kept) throw new Error(`The stack has no part "${name}": it has ${[...parts.keys()].join(', ')}.`);
    return kept;
  };
  return {
    async start(part) {
      const kept: Kept = {
        part,
        running: null,
        startedAt: 0,
        quickDeaths: 0,
        isWanted: true,
        timer: undefined,
        starting: null,
      };
      parts.set(part.name, kept);
      await launch(kept, options);
    },
    async kill(name) {
      const { running } = find(name);
      if (!running) return;
      process.kill(running.pid, 'SIGKILL');
      await running.exited;
    },
    async restart(name) {
      const kept = find(name);
      await end(kept);
      kept.isWanted = true;
      await launch(kept, options);
    },
    async stop(...names) {
      await Promise.all(names.map((name) => parts.has(name) && end(find(name))));
    },
    pids: () => Object.fromEntries([...parts].flatMap(([name, { running }]) => (running ? [[name, running.pid]] : []))),
  };
}

function launch(kept: Kept, options: SupervisorOptions): Promise<void> {
  clearTimeout(kept.timer);
  kept.starting ??= bringUp(kept, options).finally(() => {
    kept.starting = null;
  });
  return kept.starting;
}

async function bringUp(kept: Kept, options: SupervisorOptions): Promise<void> {
  const running = await kept.part.start();
  kept.running = running;
  kept.startedAt = Date.now();
  void running.exited.then(() => {
    kept.running = null;
    options.onChange();
    if (kept.isWanted) comeBack(kept, options);
  });
  options.onChange();
}

function comeBack(kept: Kept, options: SupervisorOptions): void {
  const { name, kind } = kept.part;
  kept.quickDeaths = Date.now() - kept.startedAt < quickDeathMs ? kept.quickDeaths + 1 : 0;
  const slower = Math.min(restartMs.first * 2 ** (kept.quickDeaths - 1), restartMs.longest);
  const functionMs = kept.quickDeaths === 0 ? 0 : slower;
  const waitMs = kind === 'function' ? functionMs : options.dependencyRestartMs;
  if (kind === 'dependency' || kept.quickDeaths > 1) {
    options.onProblem(`${name} has ended; it comes back in ${Math.round(waitMs / 100) / 10} s.`);
  }
  tryAgain(kept, options, waitMs);
}

function tryAgain(kept: Kept, options: SupervisorOptions, waitMs: number): void {
  kept.timer = setTimeout(() => {
    launch(kept, options).catch((error: Error) => {
      if (!kept.isWanted) return;
      options.onProblem(`${kept.part.name} does not start: ${error.message}`);
      tryAgain(kept, options, restartMs.longest);
    });
  }, waitMs);
}

async function end(kept: Kept): Promise<void> {
  kept.isWanted = false;
  clearTimeout(kept.timer);
  await kept.starting?.catch(() => {});
  await kept.running?.stop();
}
