import { isSame } from '../../domain/same.ts';
import { AppError } from '../../errors.ts';
import { Conflict, pause, type Wake, type World, type Write } from '../ports.ts';
import { withinOneCommit } from './size.ts';

/** What a use case decided: the writes of one commit, who is to be woken after it, and its answer. */
export type Decided<T> = { writes: Write[]; wakes: Wake[]; answer: T };

const attempts = 12;

/**
 * Load, decide, commit, wake: the one way of every input. `decide` reads what it needs and returns what shall be; when another writer
 * was first, it reads and decides again. The wake comes last and may fail: `dueAt` is in the record, and the sweep finds it.
 * @throws AppError `unavailable` when others were first too often
 */
export async function decideAndCommit<T>(world: World, decide: () => Promise<Decided<T>>): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const decided = await decide();
    const audit = decided.writes.length > 0 ? await world.trail?.beside(decided.writes) : undefined;
    const { writes, wakes, answer } = withinOneCommit(together(decided, audit), world.now);
    try {
      if (writes.length > 0) await world.store.commit(writes);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      if (!(await tookEffect(world, writes))) {
        await pause(world, backoffMs(attempt, world.random()));
        continue;
      }
    }
    if (writes.length > 0) world.trail?.committed(audit?.hasEntry ?? false);
    await wakeAll(world, wakes);
    return answer;
  }
  throw new AppError('unavailable', 'The record is being changed by many at once; try again.');
}

function together<T>(decided: Decided<T>, more: Pick<Decided<T>, 'writes' | 'wakes'> | undefined): Decided<T> {
  if (!more) return decided;
  return { ...decided, writes: [...decided.writes, ...more.writes], wakes: [...decided.wakes, ...more.wakes] };
}

/**
 * Whether it was our own commit that came first: its answer was lost, and the client of the store repeated it. Deciding once more would
 * find the work done, set no alarm, and refuse to a person what has just been done for them.
 */
async function tookEffect({ store }: World, writes: readonly Write[]): Promise<boolean> {
  const evidence = evidenceOf(writes);
  const kept = await Promise.all(evidence.map((write) => store.get(write.in, [write.id])));
  return evidence.length > 0 && evidence.every((write, index) => shows(kept[index]?.[0]?.data, write));
}

/** Records that never change. */
const lasting: ReadonlySet<string> = new Set(['audit', 'auditStream', 'activity', 'detections']);

/**
 * The writes by which a commit is told. One record is not enough: two reports of one moment can make the very same device, or end the very
 * same alert, and still differ in the rest, which would be lost with the one that came second. Where a device has been written since, it is
 * decided again: better an alarm that the sweep sets than a report that nobody has taken.
 */
function evidenceOf(writes: readonly Write[]): readonly Write[] {
  const telling = writes.filter(
    (write) => write.kind !== 'delete' && (lasting.has(write.in) || write.in === 'devices'),
  );
  if (telling.length > 0) return telling;
  const created = writes.filter(({ kind }) => kind === 'create');
  return created.length > 0 ? created : writes.filter(({ kind }) => kind === 'replace' || kind === 'patch');
}

function shows(kept: object | undefined, write: Write): boolean {
  if (!kept || write.kind === 'delete') return false;
  if (write.kind === 'create' || write.kind === 'replace') return isSame(kept, write.data);
  return Object.entries(write.set).every(([member, value]) => isSame(kept[member as keyof typeof kept], value));
}

/** Sets alarms; one that cannot be set is left to the sweep. */
export async function wakeAll(world: World, wakes: Wake[]): Promise<void> {
  if (wakes.length === 0) return;
  try {
    await world.waker.wake(wakes);
  } catch (error) {
    world.log.warn('wake.failed', { records: wakes.map(({ id }) => id), error: String(error) });
  }
}

/** Grows from 5 to 200 ms with full jitter, so that writers of one record part. */
function backoffMs(attempt: number, chance: number): number {
  return chance * Math.min(200, 5 * 2 ** attempt);
}
