import { decideAndCommit } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';
import { type DueKind, dueTable } from './table.ts';

/** Decisions that one wake may bring about in a row: a snooze that ended, a response time that passed meanwhile, a reminder … */
const mostInARow: Record<DueKind, number> = {
  devices: 1,
  alerts: 4,
  incidents: 4,
  targets: 1,
  guardianAlerts: 1,
  notices: 1,
  windows: Number.POSITIVE_INFINITY,
  fanOuts: Number.POSITIVE_INFINITY,
};

/** Looks at a record whose time has come. Early, late or doubled, it does what is due now and no more. */
export async function handleDue<K extends DueKind>(world: World, kind: K, id: string): Promise<void> {
  for (let count = 0; count < mostInARow[kind]; count += 1) {
    const isMore = await decideAndCommit(world, async () => {
      const [stored = null] = await world.store.get(kind, [id]);
      const now = world.now();
      if (!stored || !isDue(stored, now)) return { writes: [], wakes: [], answer: false };
      return dueTable[kind].decide(world, stored, now);
    });
    if (!isMore) return;
  }
}

/** Whether any clock of the record has run out. What waits for an absence may have to wait on: its decision says so. */
function isDue({ data }: Stored<DueKind>, now: string): boolean {
  const instants = 'absentAt' in data ? [data.dueAt, data.absentAt] : [data.dueAt];
  return instants.some((at) => at !== null && at <= now);
}
