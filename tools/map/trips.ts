import { type Profiler, Session } from 'node:inspector/promises';
import type { Store } from '../../shared/app/ports.ts';

/** What one input costs: reads of the store in a row, commits, and how often it was decided. */
export type Trips = { reads: number; commits: number; decisions: number };

/**
 * Counts calls of a store in a row: calls that run at the same time count once. Each call takes some milliseconds, so that calls that could run at
 * the same time do.
 */
export function tripCounter(store: Store): { store: Store; begin(): void; trips(): Pick<Trips, 'reads' | 'commits'> } {
  let ended = { reads: 0, commits: 0 };
  const counted =
    <Args extends unknown[], Result>(kind: keyof typeof ended, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const before = ended;
      await new Promise((resolve) => setTimeout(resolve, 2));
      const result = await call(...args);
      ended = { ...ended, [kind]: Math.max(ended[kind], before[kind] + 1) };
      return result;
    };
  return {
    store: {
      get: counted('reads', store.get) as Store['get'],
      getMany: counted('reads', store.getMany) as Store['getMany'],
      find: counted('reads', store.find) as Store['find'],
      count: counted('reads', store.count),
      tail: counted('reads', store.tail) as Store['tail'],
      commit: counted('commits', store.commit),
    },
    begin() {
      ended = { reads: 0, commits: 0 };
    },
    trips: () => ended,
  };
}

/** The decisions that are counted: each says everything that an input causes. */
const decisions = ['decideDevice', 'decideAction', 'decideReport', 'afterAttempt'];

/** How often the most frequent decision was asked, by V8's own count of calls. */
export function decisionsIn(coverage: readonly Profiler.ScriptCoverage[]): number {
  const calls = coverage
    .filter(({ url }) => url.includes('/shared/domain/'))
    .flatMap(({ functions }) => functions)
    .filter(({ functionName }) => decisions.includes(functionName))
    .map(({ ranges: [whole] }) => whole?.count ?? 0);
  return Math.max(0, ...calls);
}

/** Prepares one input and returns a function that sends it, so that only the sending is counted. */
export type Input = () => Promise<() => Promise<void>>;

/** Sends each input once to warm up and once to count. */
export async function countTrips<Name extends string>(
  inputs: Record<Name, Input>,
  counter: Pick<ReturnType<typeof tripCounter>, 'begin' | 'trips'>,
): Promise<Map<Name, Trips>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const counted = new Map<Name, Trips>();
  for (const [name, input] of Object.entries(inputs) as [Name, Input][]) {
    await (await input())();
    const send = await input();
    await session.post('Profiler.takePreciseCoverage');
    counter.begin();
    await send();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    counted.set(name, { ...counter.trips(), decisions: decisionsIn(result) });
  }
  session.disconnect();
  return counted;
}
