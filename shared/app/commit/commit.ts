import { isSame } from '../../domain/same.ts';
import { AppError } from '../../errors.ts';
import { Conflict, pause, type Reading, type Wake, type World, type Write } from '../ports.ts';
import { withinOneCommit } from './size.ts';

/** The result of a use case: the writes of one commit, the wakes after it, the answer, and what was read for it. */
export type Decided<T> = { writes: Write[]; wakes: Wake[]; answer: T; read?: Reading };

const attempts = 12;

/**
 * Load, decide, commit, wake: every input takes this way. `decide` reads what it needs and returns what to write. When another writer
 * committed first, it reads and decides again. The wakes come last and may fail, because `dueAt` is in the record and the sweep finds it.
 * @throws AppError `unavailable` when other writers were first too often; where the bearer of the present call may not make the change
 */
export async function decideAndCommit<T>(world: World, decide: () => Promise<Decided<T>>): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const decided = await decide();
    const [, audit] =
      decided.writes.length > 0
        ? await Promise.all([
            world.admission?.admit(decided.writes, decided.read),
            world.trail?.beside(decided.writes, decided.read),
          ])
        : [];
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
  throw new AppError('unavailable', 'Too many writers are changing the record; try again.');
}

function together<T>(decided: Decided<T>, more: Pick<Decided<T>, 'writes' | 'wakes'> | undefined): Decided<T> {
  if (!more) return decided;
  return { ...decided, writes: [...decided.writes, ...more.writes], wakes: [...decided.wakes, ...more.wakes] };
}

/**
 * Whether a conflicting commit was our own: its answer was lost, and the store's client repeated it. A second decision would find nothing to do, set
 * no wake, and refuse a person's action that has just succeeded.
 */
async function tookEffect({ store }: World, writes: readonly Write[]): Promise<boolean> {
  const evidence = evidenceOf(writes);
  const kept = await Promise.all(evidence.map((write) => store.get(write.in, [write.id])));
  return evidence.length > 0 && evidence.every((write, index) => shows(kept[index]?.[0]?.data, write));
}

/** Records that never change. */
const lasting: ReadonlySet<string> = new Set(['audit', 'auditStream', 'activity', 'detections', 'events']);

/**
 * The writes by which a commit is recognized: its device and its records that never change; if it has none, what it creates; else what it changes.
 * One record is not enough: two reports at the same moment can produce the same device or end the same alert and still differ in other writes, and
 * those of the second report would be lost. If the device was written since, the commit is not recognized and the decision is made again. That may
 * leave a wake to the sweep, which is better than losing a report.
 */
function evidenceOf(writes: readonly Write[]): readonly Write[] {
  const identifying = writes.filter(
    (write) => write.kind !== 'delete' && (lasting.has(write.in) || write.in === 'devices'),
  );
  if (identifying.length > 0) return identifying;
  const created = writes.filter(({ kind }) => kind === 'create');
  return created.length > 0 ? created : writes.filter(({ kind }) => kind === 'replace' || kind === 'patch');
}

function shows(kept: object | undefined, write: Write): boolean {
  if (!kept || write.kind === 'delete') return false;
  if (write.kind === 'create' || write.kind === 'replace') return isSame(kept, write.data);
  return Object.entries(write.set).every(([member, value]) => isSame(kept[member as keyof typeof kept], value));
}

/** Sets wakes. The sweep handles a wake that cannot be set. */
export async function wakeAll(world: World, wakes: Wake[]): Promise<void> {
  if (wakes.length === 0) return;
  try {
    await world.waker.wake(wakes);
  } catch (error) {
    world.log.warn('wake.failed', { records: wakes.map(({ id }) => id), error: String(error) });
  }
}

/** A random wait so that writers of one record do not collide again: up to 10 ms at first, up to twice as long each time, at most 200 ms. */
function backoffMs(attempt: number, chance: number): number {
  return chance * Math.min(200, 5 * 2 ** attempt);
}
