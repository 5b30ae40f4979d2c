import { sumOf } from '../../domain/intake/budget.ts';
import { msBetween } from '../../domain/time.ts';
import type { Suppressed } from '../../schema/quarantine/quarantine.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Timer, World } from '../ports.ts';

/**
 * How often an instance writes the count of one budget. A flood of messages then costs one read and one write in this time, and nothing per
 * message.
 */
const everyMs = 10_000;
/** Budgets that an instance remembers as used up. For further ones it asks the store again. */
const mostRemembered = 10_000;

/** The number of messages of one budget that an instance has not kept, and the record to write it to. */
type Tally = {
  reportId: string;
  pending: Suppressed | null;
  lastSuppressed: string;
  writtenAt: string | null;
  timer: Timer | null;
};

/** The counts of each instance, by budget. At most the counts of `everyMs` are lost with an instance. */
const instances = new WeakMap<World, Map<string, Tally>>();

function talliesOf(world: World): Map<string, Tally> {
  const tallies = instances.get(world) ?? new Map<string, Tally>();
  instances.set(world, tallies);
  return tallies;
}

/** The last record that was kept of a budget that this instance knows to be used up. Null: it does not know that. */
export function fullSince(world: World, budgetId: string): string | null {
  return talliesOf(world).get(budgetId)?.reportId ?? null;
}

/**
 * Counts a message that is not kept, on the last record that was. The first count is written at once, and later ones together. Several
 * instances add to one count.
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
  // Moves it to the end of the order: the budget without messages for the longest time is forgotten first.
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

/** A failing store must not delay a message. The count waits for the next write. */
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
