import { forgedSort, sortOf } from '../../domain/change/text-budget.ts';
import type { Report } from '../../schema/device/report.ts';
import { rootOf, type Timer, type World } from '../ports.ts';

/** Messages of one device and sort that changed only texts and were counted instead of decided. `report`: the last of them. */
type Tally = { count: number; report: Report; timer: Timer };

/** Devices and sorts that an instance counts. A device whose messages were counted longest ago is forgotten first, with its count. */
const mostRemembered = 10_000;

/** The counts of each instance. At most the counts of a minute are lost with an instance. */
const instances = new WeakMap<World['store'], Map<string, Tally>>();

function waitingOf({ store }: World): Map<string, Tally> {
  const waiting = instances.get(rootOf(store)) ?? new Map<string, Tally>();
  instances.set(rootOf(store), waiting);
  return waiting;
}

/** A guardian's message may be decided as its own or as a forged one: both are counted together. */
function keyOf(report: Report): string {
  return `${report.deviceId} ${sortOf(report) ?? forgedSort}`;
}

/** Takes the number of messages before this one that were only counted, so that nobody else tells it. */
export function takeCount(world: World, report: Report): number {
  const waiting = waitingOf(world).get(keyOf(report));
  const count = waiting?.count ?? 0;
  if (waiting) waiting.count = 0;
  return count;
}

/**
 * Counts messages of which this is the last. After a minute it is decided all the same, with the number of the others: the last text is never lost,
 * and the count is told although no further message comes.
 */
export function countMore(world: World, report: Report, more: number, decide: (last: Report) => Promise<void>): void {
  const all = waitingOf(world);
  const key = keyOf(report);
  const known = all.get(key);
  if (known) {
    known.count += more;
    known.report = report;
    return;
  }
  const timer = world.after(world.waits.textWindow, () => {
    const due = all.get(key);
    if (!due) return;
    if (due.count === 0) {
      all.delete(key);
      return;
    }
    // The report itself is one of those that were counted.
    due.count -= 1;
    const last = due.report;
    const rest = due.count;
    all.delete(key);
    if (rest > 0) countMore(world, last, rest, decide);
    decide(last).catch((error: unknown) => {
      world.log.error('counted.failed', { deviceId: last.deviceId, error: String(error) });
      countMore(world, last, 1, decide);
    });
  });
  all.set(key, { count: more, report, timer });
  for (const [oldest, { timer: old }] of all) {
    if (all.size <= mostRemembered) break;
    old.stop();
    all.delete(oldest);
  }
}

/** A later message was decided, so the last one that was counted need not be. */
export function settleCount(world: World, report: Report): void {
  const all = waitingOf(world);
  const waiting = all.get(keyOf(report));
  if (!waiting || waiting.count > 0) return;
  waiting.timer.stop();
  all.delete(keyOf(report));
}
