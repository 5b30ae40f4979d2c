import { Pool } from 'undici';
import type { Store } from '../../../shared/app/ports.ts';
import type { Hosted } from '../programs/function-program.ts';
import { interleaved, median, medianAbove, spreadOf } from './measure.ts';
import { copyRecords, type Platform } from './platform.ts';
import { startProgram } from './program.ts';
import { type Given, type Row, rowOf } from './row.ts';
import { inWords, type Step } from './steps.ts';

export type Asked = { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body?: string };

/** A function in a process of its own. */
export type FunctionProcess = {
  port: number;
  /** CPU of all its threads since its start, µs. */
  cpuUs(): Promise<number>;
  /** Sends requests, `width` at a time. @returns CPU for each, µs @throws Error if an answer has another status */
  load(count: number, status: number, requestOf: (index: number) => Asked): Promise<number>;
  /** The body of one answer. */
  read(asked: Asked): Promise<Buffer>;
  stop(): Promise<void>;
};

export const width = 16;

export async function startFunction(
  name: Hosted['name'],
  environment: Record<string, string>,
  root = process.cwd(),
): Promise<FunctionProcess> {
  const program = await startProgram<{ port: number }>('function', { name, root } satisfies Hosted, environment);
  const { port } = program.ready;
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: width, pipelining: 1 });
  const cpuUs = async () => (await program.ask<{ us: number }>({})).us;
  return {
    port,
    cpuUs,
    async load(count, status, requestOf) {
      let next = 0;
      const lane = async () => {
        while (next < count) {
          next += 1;
          const { statusCode, body } = await pool.request(requestOf(next - 1));
          const text = await body.text();
          if (statusCode !== status) throw new Error(`${name} answered ${statusCode}: ${text.slice(0, 300)}`);
        }
      };
      const before = await cpuUs();
      await Promise.all(Array.from({ length: width }, lane));
      return ((await cpuUs()) - before) / count;
    },
    read: async (asked) => Buffer.from(await (await pool.request(asked)).body.arrayBuffer()),
    async stop() {
      await pool.destroy();
      await program.stop();
    },
  };
}

/** An operation of a function, as often as it is measured. */
export type Operation = {
  /** The twin's snapshot before the first. */
  records: string;
  requestOf(index: number): Asked;
  status: number;
  /** What each asks of the world outside the process. Fewer than operations: they begin again. */
  steps: Step[][];
  /** @throws Error unless the records show that all operations were done, by the function or its floor */
  check?(store: Store): Promise<void>;
};

/**
 * CPU for each operation, µs, one figure for each round: of the function, of its floor, of a function of the framework that only answers, and of
 * the function of the other tree.
 */
export type Cpu = Record<'ours' | 'floor', number[]> & Partial<Record<'noOp' | 'before', number[]>> & { steps: string };

/**
 * A function and what it takes turns with: a floor that does the same reads, writes, tasks and requests by the same clients and nothing else, and the
 * same function of another tree. Each is a process on the emulator, with a project of its own.
 */
export async function startByTurns(
  platform: Platform,
  of: 'api' | 'deliver' | 'ingest',
  {
    settings = {},
    against,
    hasNoOp = false,
  }: { settings?: Record<string, string>; against: string | null; hasNoOp?: boolean },
) {
  const headers = await platform.callerHeaders();
  const processes: FunctionProcess[] = [];
  const start = async (name: Hosted['name'], root?: string) => {
    const { environment, store } = platform.newProject();
    const started = await startFunction(name, { ...environment, ...settings }, root);
    processes.push(started);
    return { store, ...started };
  };
  const [ours, floor] = [await start(of), await start('floor')];
  const noOp = hasNoOp ? await start('no-op') : null;
  const before = against === null ? null : await start(of, against);
  const copied = new Set<string>();
  return {
    ours,
    /** @param plan counted rounds of `count` operations; one more is a warm-up */
    async measure(
      { records, requestOf, status, steps, check }: Operation,
      { count, rounds }: { count: number; rounds: number },
    ): Promise<Cpu> {
      const stores = [ours, floor, before].flatMap((each) => each?.store ?? []);
      await copyRecords(records, stores, copied);
      const stepsAt = (index: number): Asked => {
        const body = JSON.stringify(steps[index % steps.length] ?? []);
        return { method: 'POST', path: '/', headers, body };
      };
      const work = (by: FunctionProcess, expected: number, askedAt: (index: number) => Asked) => (round: number) =>
        by.load(count, expected, (index) => askedAt(round * count + index));
      const figures = await interleaved(rounds, {
        ours: work(ours, status, requestOf),
        floor: work(floor, 200, stepsAt),
        ...(noOp ? { noOp: work(noOp, 200, requestOf) } : {}),
        ...(before ? { before: work(before, status, requestOf) } : {}),
      });
      for (const store of stores) await check?.(store);
      return { ...figures, steps: inWords(steps) };
    },
    stop: () => Promise.all(processes.map((each) => each.stop())),
  };
}

/** The row of an operation, beside its floor. With a no-op: all figures without what the framework takes for that. */
export function operationRow(
  { ours, floor, noOp, before, steps }: Cpu,
  given: Pick<Given, 'id' | 'what' | 'goal' | 'moonshot'>,
): Row {
  const figure = (rounds: readonly number[]) => (noOp ? medianAbove(rounds, noOp) : median(rounds));
  return rowOf({
    ...given,
    unit: 'µs',
    ours: figure(ours),
    beside: [
      { name: 'the same steps by the same clients alone', value: figure(floor) },
      ...(before ? [{ name: 'the other tree', value: figure(before) }] : []),
      ...(noOp ? [{ name: "framework's no-op in all", value: median(noOp) }] : []),
    ],
    goalOf: 'ratio',
    note: `each ${steps}; rounds ${spreadOf(ours)}, floor ${spreadOf(floor)}; ${width} at a time`,
  });
}
