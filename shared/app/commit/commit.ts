import type { Delivery } from '../../domain/delivery/delivery.ts';
import { bytesOf, fanOutOf, partLimits } from '../../domain/delivery/fan-out.ts';
import { isSame } from '../../domain/same.ts';
import type { Instant } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import {
  Conflict,
  type DecisionReads,
  type Kind,
  pause,
  type Records,
  type Revision,
  type Stored,
  type Wake,
  type World,
  type Write,
} from '../ports.ts';

/** Writes a record: creates it where none was read, else replaces exactly the state that was read. */
export function put<K extends Kind>(kind: K, id: string, data: Records[K], stored: Stored<K> | null): Write {
  const write = stored
    ? { kind: 'replace', in: kind, id, data, revision: stored.revision }
    : { kind: 'create', in: kind, id, data };
  return write as Write;
}

/**
 * Requires the version of a record that a caller has seen: the number in its `ETag`.
 * @param ifVersion null: any version is accepted
 * @throws AppError `precondition-failed`
 */
export function requireVersion(what: string, version: number, ifVersion: number | null): void {
  if (ifVersion === null || ifVersion === version) return;
  throw new AppError('precondition-failed', `The ${what} has changed: it is at version "${version}".`);
}

/** Whether two reads of a record found the same revision. A store may return another object for it with each read. */
export function isSameRevision(one: Revision, other: Revision | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Far below the store's limit of 500, because an increment may count as a write of its own. */
const maxWrites = 400;

type CommitWork = { writes: Write[]; wakes: Wake[] };

/**
 * Makes a decision fit into one commit, so that a state and the deliveries that it causes stay together. Where there are too many
 * deliveries, those with the same body become one fan-out record that is expanded later, the largest group first.
 */
export function withinOneCommit<T extends CommitWork>(decided: T, now: () => Instant): T {
  if (fits(decided)) return decided;
  let work: CommitWork = decided;
  for (const deliveries of byBody(decided.writes)) {
    if (fits(work)) break;
    work = fannedOut(work, deliveries, now());
  }
  return { ...decided, ...work };
}

function fits({ writes }: CommitWork): boolean {
  return writes.length <= maxWrites && bytesOf(newDeliveries(writes)) + eventBytes(writes) <= partLimits.bytes;
}

function eventBytes(writes: readonly Write[]): number {
  return writes.reduce(
    (sum, write) => sum + (write.kind === 'create' && write.in === 'events' ? write.data.body.length : 0),
    0,
  );
}

function newDeliveries(writes: readonly Write[]): Delivery[] {
  return writes.flatMap((write) => (write.kind === 'create' && write.in === 'deliveries' ? [write.data] : []));
}

function byBody(writes: readonly Write[]): [Delivery, ...Delivery[]][] {
  const groups = [...Map.groupBy(newDeliveries(writes), ({ recordId, body }) => recordId ?? body).values()];
  return groups.filter(isSeveral).toSorted((a, b) => bytesOf(b) - bytesOf(a));
}

function isSeveral(deliveries: Delivery[]): deliveries is [Delivery, ...Delivery[]] {
  return deliveries.length > 1;
}

function fannedOut({ writes, wakes }: CommitWork, deliveries: [Delivery, ...Delivery[]], now: Instant): CommitWork {
  const ids = new Set(deliveries.map(({ deliveryId }) => deliveryId));
  const data = fanOutOf(deliveries, now);
  const { fanOutId: id, version, dueAt } = data;
  const isKept = (each: { in: string; id: string }) => each.in !== 'deliveries' || !ids.has(each.id);
  return {
    writes: [...writes.filter(isKept), { kind: 'create', in: 'fanOuts', id, data }],
    wakes: [...wakes.filter(isKept), { in: 'fanOuts', id, version, dueAt }],
  };
}

/** The result of a use case: the writes of one commit, the wakes after it, the answer, and what was read for it. */
export type Decided<T> = { writes: Write[]; wakes: Wake[]; answer: T; read?: DecisionReads };

const attempts = 12;

/**
 * Load, decide, commit, wake: every input takes this way. `decide` reads what it needs and returns what to write. When another writer
 * committed first, it reads and decides again. The wakes come last and may fail, because `dueAt` is in the record and the sweep finds it.
 * @throws AppError `unavailable` when other writers were first too often; where the bearer of the present call may not make the change
 */
export async function decideAndCommit<T>(world: World, decide: () => Promise<Decided<T>>): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const decided = await decide();
    const audit = await admitted(world, decided);
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

/** The entry of the trail that is written with a change. @throws AppError where the bearer of the present call may not make the change */
async function admitted({ admission, trail }: World, { writes, read }: Decided<unknown>) {
  if (writes.length === 0) return undefined;
  const [, audit] = await Promise.all([admission?.admit(writes, read), trail?.beside(writes, read)]);
  return audit;
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
