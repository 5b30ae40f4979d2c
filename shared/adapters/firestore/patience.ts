import type { Store, World } from '../../app/ports.ts';
import { AppError } from '../../errors.ts';

/** How long the database may take for an answer, milliseconds, and how long once a call has waited in vain. */
export type WaitLimits = { firstMs: number; thenMs: number };

/** For people, who get an answer within 5 s, with time for one call in vain and more. The client of Firestore would repeat a call for ten minutes. */
export const patienceWithPeople: WaitLimits = { firstMs: 3000, thenMs: 300 };

/** gRPC statuses of a database that is away or overloaded: DEADLINE_EXCEEDED 4, RESOURCE_EXHAUSTED 8, UNAVAILABLE 14. */
const awayCodes = new Set<unknown>([4, 8, 14]);

const tooLate = new Error('no answer in time');

/**
 * A store that fails with `unavailable` while the database does not answer. Once a call has waited in vain, one call at a time asks whether the
 * database is back, and the others fail at once: they would pile up in the client.
 */
export function withPatience(store: Store, { firstMs, thenMs }: WaitLimits, after: World['after']): Store {
  let isAway = false;
  let isAsking = false;
  /** @throws AppError `unavailable` when the answer does not come in time, or says that the database is away */
  const inTime = async <T>(call: () => Promise<T>, whatIsKnown: string): Promise<T> => {
    if (isAway && isAsking) throw unavailable(whatIsKnown);
    const isQuestion = isAway;
    isAsking ||= isQuestion;
    try {
      const value = await within(isQuestion ? thenMs : firstMs, call, after);
      isAway = false;
      return value;
    } catch (error) {
      isAway = error === tooLate || awayCodes.has((error as { code?: unknown }).code);
      throw isAway ? unavailable(whatIsKnown, error) : error;
    } finally {
      isAsking &&= !isQuestion;
    }
  };
  const unread = 'Nothing was read.';
  return {
    get: (kind, ids) => inTime(() => store.get(kind, ids), unread),
    getMany: (ids) => inTime(() => store.getMany(ids), unread),
    find: (query) => inTime(() => store.find(query), unread),
    count: (query) => inTime(() => store.count(query), unread),
    tail: (tail) => inTime(() => store.tail(tail), unread),
    commit: (writes) =>
      inTime(() => store.commit(writes), 'Whether the change was made is not known: read before you repeat it.'),
  };
}

async function within<T>(ms: number, call: () => Promise<T>, after: World['after']): Promise<T> {
  const late = Promise.withResolvers<never>();
  // A process that was busy all the time first reads the answers that came meanwhile.
  const timer = after(ms, () => setImmediate(() => late.reject(tooLate)));
  try {
    return await Promise.race([call(), late.promise]);
  } finally {
    timer.stop();
  }
}

function unavailable(whatIsKnown: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The database does not answer. ${whatIsKnown}`, { cause });
}
