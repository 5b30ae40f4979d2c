import { msBetween } from '../../domain/time.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { type DueKind, pause, type Stored, type Wake, type World } from '../ports.ts';
import { dueTable } from './table.ts';

/**
 * Handles a record that is due. A late or repeated call does what is due now and nothing else.
 * @param earlyMs tolerance for clock differences: a call that comes this much too early waits, an earlier one only sets the wake again
 * @returns whether anything was written
 */
export async function handleDue<K extends DueKind>(world: World, kind: K, id: string, earlyMs = 0): Promise<boolean> {
  let isDone = false;
  let patienceMs = earlyMs;
  const { handle, mostInARow = 1 } = dueTable[kind];
  for (let count = 0; count < mostInARow; count += 1) {
    const isMore = await decideAndCommit<boolean>(world, async () => {
      const stored = await loadWhenDue(world, kind, id, patienceMs);
      patienceMs = 0;
      const now = world.now();
      if (!stored) return nothing;
      if (!isDue(stored, now)) return { ...nothing, wakes: earlyMs > 0 && !isDone ? wakesOf(kind, stored) : [] };
      const decided = await handle(world, stored, now);
      isDone ||= decided.writes.length > 0;
      return decided;
    });
    if (!isMore) break;
  }
  return isDone;
}

const nothing = { writes: [], wakes: [], answer: false };

async function loadWhenDue<K extends DueKind>(
  world: World,
  kind: K,
  id: string,
  patienceMs: number,
): Promise<Stored<K> | null> {
  const [stored = null] = await world.store.get(kind, [id]);
  const dueAt = stored?.data.dueAt ?? null;
  const aheadMs = dueAt === null ? 0 : msBetween(world.now(), dueAt);
  if (aheadMs <= 0 || aheadMs > patienceMs) return stored;
  await pause(world, aheadMs);
  return loadWhenDue(world, kind, id, 0);
}

/** The wake of a record that is due later. If the record changed since, the earlier wake may be lost. */
function wakesOf(kind: DueKind, { id, data }: Stored<DueKind>): Wake[] {
  const version = 'version' in data ? data.version : 1;
  return data.dueAt === null ? [] : [{ in: kind, id, version, dueAt: data.dueAt }];
}

/** Whether any clock of the record has passed. Its decision determines whether it must also wait for the horizon. */
function isDue({ data }: Stored<DueKind>, now: string): boolean {
  const instants = 'absentAt' in data ? [data.dueAt, data.absentAt] : [data.dueAt];
  return instants.some((at) => at !== null && at <= now);
}
