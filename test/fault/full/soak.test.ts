import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionNames } from '../../../local/cloud/environment.ts';
import { median, percentile } from '../../bench/frame/measure.ts';
import { close, runAtOnce, runAtRate, type Sink, startSink, targetOf } from '../../bench/ways/runs.ts';
import { type StackWay, startStackWay } from '../../bench/ways/stack-way.ts';
import type { Target } from '../../bench/ways/way.ts';
import { ledger } from '../../support/score/score.ts';
import { connectEmulator } from '../../support/stores/emulator-client.ts';

/** `SOAK_MINUTES` sets another length. */
const minutes = Number(process.env['SOAK_MINUTES'] ?? 30);
/** The number of events, sent as fast as possible, by which the capacity of the stack is measured. */
const trial = 600;
/** The number of round trips to the emulator that the lag of a minute is compared with: the emulator slows down as its collections grow. */
const trips = 20;
/** How much the memory, the handles and the lag of a process may grow from the middle third to the last. A function has 256 MiB or more. */
const most = { grownMiB: 24, grownShare: 1.1, handles: 10, lag: 1.5 };

type Minute = { processes: Record<string, { mib: number; handles: number }>; p50: number; p99: number; tripMs: number };

let sink: Sink;
let target: Target;
let way: StackWay;
beforeAll(async () => {
  sink = await startSink();
  target = targetOf(sink, 20);
  way = await startStackWay(target, { firestoreGib: 8 });
});
afterAll(async () => {
  await sink?.stop();
});

test(`${minutes} minutes at half of the highest load: memory, handles and lag do not grow`, {
  timeout: (minutes + 20) * 60_000,
}, async () => {
  await runAtRate(way, sink, target, { perSecond: 20, seconds: 10 });
  const { seconds } = await runAtOnce(way, sink, target, trial);
  const perSecond = Math.max(1, Math.round(trial / seconds / 2));
  console.log(`the stack takes ${(trial / seconds).toFixed(0)} deliveries a second; half of it is ${perSecond}`);
  const seen: Minute[] = [];
  let repeated = 0;
  for (let minute = 0; minute < minutes; minute += 1) {
    const ran = await runAtRate(way, sink, target, { perSecond, seconds: 60 });
    repeated += ran.repeated;
    const [p50, p99] = [percentile(ran.latencies, 0.5), percentile(ran.latencies, 0.99)];
    seen.push({ processes: processesOf(way), p50, p99, tripMs: await tripMs(way) });
    console.log(inWords(minute, seen.at(-1)));
  }
  const tried = perSecond * 60 * minutes;
  const kept = await close(way);
  ledger('R11', `${minutes} min at half capacity, ${perSecond} deliveries a second, local stack`, {
    tried,
    lost: kept.waiting,
    wrong: kept.failed + kept.held,
    doubled: repeated,
  });
  expect([kept.waiting, kept.failed, kept.held]).toEqual([0, 0, 0]);
  expectFlat(seen);
});

/** Memory and open files of each function. */
function processesOf({ stack }: StackWay): Minute['processes'] {
  return Object.fromEntries(
    functionNames.map((name) => {
      const folder = `/proc/${stack.run.pids[name] ?? 0}`;
      const kib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1]);
      return [name, { mib: Math.round(kib / 1024), handles: readdirSync(`${folder}/fd`).length }];
    }),
  );
}

/** The median time of one read and one write in the emulator. */
async function tripMs({ stack }: StackWay): Promise<number> {
  const client = connectEmulator(stack.run);
  const times: number[] = [];
  for (let trip = 0; trip <= trips; trip += 1) {
    const startedAt = performance.now();
    await client.doc('soak/one').get();
    await client.doc('soak/one').set({ trip });
    if (trip > 0) times.push(performance.now() - startedAt);
  }
  await client.terminate();
  return median(times);
}

function inWords(minute: number, seen: Minute | undefined): string {
  if (!seen) return '';
  const each = Object.entries(seen.processes).map(([name, { mib, handles }]) => `${name} ${mib} MiB ${handles}`);
  const lag = `p50 ${seen.p50.toFixed(0)} ms, p99 ${seen.p99.toFixed(0)} ms, a trip ${seen.tripMs.toFixed(1)} ms`;
  return `minute ${minute + 1}: ${each.join(', ')}; ${lag}`;
}

/** Compares the last third with the middle one: in the first, code is still compiled and heaps grow to their final size. */
function expectFlat(seen: readonly Minute[]): void {
  const third = Math.floor(seen.length / 3);
  const [middle, last] = [seen.slice(third, 2 * third), seen.slice(2 * third)];
  const of = (some: readonly Minute[], value: (minute: Minute) => number) => median(some.map(value));
  for (const name of functionNames) {
    const [before, after] = [middle, last].map((some) => of(some, ({ processes }) => processes[name]?.mib ?? 0));
    expect.soft(after, `MiB of ${name}`).toBeLessThan((before ?? 0) * most.grownShare + most.grownMiB);
    const handles = [middle, last].map((some) => of(some, ({ processes }) => processes[name]?.handles ?? 0));
    expect.soft(handles[1], `handles of ${name}`).toBeLessThanOrEqual((handles[0] ?? 0) + most.handles);
  }
  // Relative to a round trip to the emulator in the same minute, so that other load on the machine does not count.
  const lag = [middle, last].map((some) => of(some, ({ p50, tripMs }) => p50 / tripMs));
  expect.soft(lag[1], 'lag').toBeLessThan((lag[0] ?? 0) * most.lag);
}
