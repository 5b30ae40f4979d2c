/** Interval at which a jump of the clock is detected, milliseconds. */
const lookMs = 1000;
/** Timers of hidden tabs run at least once a minute: a longer gap means that the computer or the tab slept. */
const sleptMs = 75_000;

/**
 * Calls `onWake` soon after a sleep of the computer or of the tab. A connection that broke during the sleep seems open until something is sent, and
 * timers stand still: only the clock shows it.
 * @returns a function that stops it
 */
export function watchSleep(onWake: () => void): () => void {
  let last = Date.now();
  const look = () => {
    const before = last;
    last = Date.now();
    if (last - before > sleptMs) onWake();
  };
  const timer = setInterval(look, lookMs);
  document.addEventListener('resume', look);
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(timer);
    document.removeEventListener('resume', look);
    document.removeEventListener('visibilitychange', look);
  };
}
