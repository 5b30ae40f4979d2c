import type { MemoryStore } from '../../../shared/adapters/memory/store.ts';
import { withSlices } from '../../../shared/adapters/slices.ts';
import type { Filter, Kind, Query, Store, Sums, Wake, Waker, Write } from '../../../shared/app/ports.ts';
import { aroundCalls } from '../../support/stores/around-calls.ts';

/** What one operation asks of the world outside its process, so that a floor can do the same and nothing else. */
export type Step =
  | { do: 'read'; paths: string[] }
  | {
      do: 'find' | 'count';
      query: Pick<Query<Kind>, 'in' | 'orderBy' | 'after'> & { where: Filter<Kind>[]; limit?: number };
    }
  | { do: 'write'; writes: { kind: Write['kind']; path: string; set: object; add: Sums }[] }
  | { do: 'tasks'; queues: number[] }
  | { do: 'send'; url: string; body: string };

/** A store and a waker that note the steps of the operations that use them. */
export type StepRecorder = { store: Store; waker: Waker; note(step: Step): void; taken(): Step[] };

export function recordSteps(twin: MemoryStore): StepRecorder {
  let steps: Step[] = [];
  const note = (step: Step) => {
    steps.push(step);
  };
  const noting = aroundCalls(twin, (name, act, given) => {
    note(stepOf(name, given));
    return act();
  });
  return {
    // As in the adapter, so that the steps have the slices too.
    store: withSlices(noting),
    waker: {
      async wake(wakes: readonly Wake[]) {
        if (wakes.length > 0) note({ do: 'tasks', queues: wakes.map((_, index) => index % 4) });
      },
    },
    note,
    taken() {
      const taken = steps;
      steps = [];
      return taken;
    },
  };
}

function stepOf(name: keyof Store, given: unknown): Step {
  switch (name) {
    case 'get':
    case 'getMany': {
      const ids = Object.entries(given as Record<string, readonly string[]>);
      return { do: 'read', paths: ids.flatMap(([kind, of]) => of.map((id) => `${kind}/${id}`)) };
    }
    case 'commit':
      return { do: 'write', writes: (given as readonly Write[]).map(writeStep) };
    case 'find':
    case 'count':
      return { do: name, query: { where: [], ...(given as Query<Kind>) } };
    default:
      throw new Error(`no floor does ${name}`);
  }
}

function writeStep(write: Write) {
  const { kind } = write;
  const set = kind === 'delete' ? {} : kind === 'create' || kind === 'replace' ? write.data : write.set;
  const add = kind === 'accrue' || kind === 'patch' ? ((write.add ?? {}) as Sums) : {};
  return { kind, path: `${write.in}/${write.id}`, set, add };
}

/** The mean number of each kind of step, for a note. */
export function inWords(steps: readonly Step[][]): string {
  const counts = Map.groupBy(steps.flat(), (step) => step.do);
  return [...counts].map(([name, of]) => `${Number((of.length / steps.length).toPrecision(3))} ${name}`).join(', ');
}
