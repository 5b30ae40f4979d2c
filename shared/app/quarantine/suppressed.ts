import { sumOf } from '../../domain/intake/budget.ts';
import { msBetween } from '../../domain/time.ts';
import type { Suppressed } from '../../schema/quarantine/quarantine.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Timer, World } from '../ports.ts';

/** How often an instance writes the count of one budget: a flood costs a read and a write in this time, and nothing for each message. */
const everyMs = 10_000;
/** Budgets that an instance remembers to be used up: beyond this it asks the store again. */
const mostRemembered = 10_000;

/** The count of what an instance has not kept of one budget, and the record that it is to be written on. */
type Tally = {
  reportId: string;
  pending: Suppressed | null;
  lastSuppressed: string;
  writtenAt: string | null;
  timer: Timer | null;
};

/** What each instance has counted, by budget: it is lost with the instance, at most `everyMs` of it. */
const instances = new WeakMap<World, Map<string, Tally>>();

function talliesOf(world: World): Map<string, Tally> {
  const tallies = instances.get(world) ?? new Map<string, Tally>();
  instances.set(world, tallies);
  return tallies;
}

/** The last record that was kept from a budget which this instance has seen used up; null: it has not. */
export function fullSince(world: World, budgetId: string): string | null {
  return talliesOf(world).get(budgetId)?.reportId ?? null;
}

/**
 * Counts a message that is not kept on the last record that was. The first is written at once, those after it together. Several instances
 * add to one count.
 */
export async function countSuppressed(
  world: World,
  budgetId: string,
  reportId: string,
  { messageId, reason, receivedAt: at }: { messageId: string; reason: string; receivedAt: string },
): Promise<void> {
  const tallies = talliesOf(world);
  const tally = tallies.get(budgetId) ?? newTally(reportId);
  tally.lastSuppressed = messageId;
  // As last seen: what is forgotten first is what has been quiet for longest.
  tallies.delete(budgetId);
  tallies.set(budgetId, tally);
  for (const [id, { pending }] of tallies) {
    if (tallies.size <= mostRemembered) break;
    if (!pending) tallies.delete(id);
  }
  tally.pending = sumOf(tally.pending, { count: 1, firstAt: at, lastAt: at, reasons: { [reason]: 1 } });
  if (tally.writtenAt === null || msBetween(tally.writtenAt, world.now()) >= everyMs) return write(world, tally);
  tally.timer ??= world.after(everyMs, () => void write(world, tally));
}

function newTally(reportId: string): Tally {
  return { reportId, pending: null, lastSuppressed: '', writtenAt: null, timer: null };
}

/** A store that cannot be written to holds no message up: the count waits for the next time. */
async function write(world: World, tally: Tally): Promise<void> {
  const { reportId, pending, lastSuppressed } = tally;
  tally.timer?.stop();
  tally.timer = null;
  if (!pending) return;
  tally.pending = null;
  tally.writtenAt = world.now();
  try {
    await decideAndCommit(world, async () => {
      const [stored = null] = await world.store.get('quarantine', [reportId]);
      if (!stored) return { writes: [], wakes: [], answer: undefined };
      const { id, revision } = stored;
      const data = { ...stored.data, suppressed: sumOf(stored.data.suppressed, pending), lastSuppressed };
      return { writes: [{ kind: 'replace', in: 'quarantine', id, data, revision }], wakes: [], answer: undefined };
    });
    world.log.warn('reports.suppressed', { reportId, ...pending });
  } catch (error) {
    tally.pending = sumOf(tally.pending, pending);
    world.log.error('suppressed.failed', { reportId, error: String(error) });
  }
}
