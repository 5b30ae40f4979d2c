/** A fixed rhythm on a monotonic clock: changes of the calendar clock do not move it, and a slot that passed during a run is skipped. */
export type Schedule = {
  /**
   * Runs `work` at once and then at every slot, never two runs at the same time, until `stop`. Resolves when the last
   * run has ended.
   */
  run: (work: (slotMs: number) => Promise<void>) => Promise<void>;
  stop: () => void;
  /** Resolves after the time, or as soon as the schedule is stopped. */
  wait: (milliseconds: number) => Promise<void>;
};

/** @param monotonicMs the monotonic clock */
export function createSchedule(intervalMs: number, monotonicMs: () => number): Schedule {
  let isStopped = false;
  const pauses = new Set<() => void>();

  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      if (isStopped) return resolve();
      const end = () => {
        clearTimeout(timer);
        pauses.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      pauses.add(end);
    });

  return {
    wait,
    async run(work) {
      const startMs = monotonicMs();
      for (let slot = 0; !isStopped; ) {
        await work(startMs + slot * intervalMs);
        slot = Math.max(slot, Math.floor((monotonicMs() - startMs) / intervalMs)) + 1;
        await wait(startMs + slot * intervalMs - monotonicMs());
      }
    },
    stop() {
      isStopped = true;
      for (const end of [...pauses]) end();
    },
  };
}
