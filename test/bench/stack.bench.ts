import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { median, percentile } from './frame/measure.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';
import { measureAlerts } from './ways/alert-latency.ts';
import { close, runAtOnce, runAtRate, type Sink, startSink, targetOf } from './ways/runs.ts';
import { type StackWay, stackCpuMs, startStackWay } from './ways/stack-way.ts';
import { countTrips, storeLimit } from './ways/store-floor.ts';
import type { Target } from './ways/way.ts';

/** Events a second that the emulator can handle while endpoints hang. Its limit is a few hundred writes a second. */
const gentlePerSecond = 20;
const mayHang = 5;

/** P4, P7, P8 and P9 with the whole service on this machine, on the emulators of Firestore and Pub/Sub. */
export const measure: Bench = async () => {
  const missing = missingForEmulators();
  if (missing) throw new Error(`${missing} is missing`);
  const sink = await startSink();
  const target = targetOf(sink, 20);
  const trips = await countTrips(sink, target);
  const way = await startStackWay(target);
  try {
    const alerts = await alertRows(way);
    await runAtRate(way, sink, target, { perSecond: gentlePerSecond, seconds: 5 });
    const latency = await latencyRows(way, sink, target);
    const rate = await rateRow(way, sink, target, trips);
    const hanging = await hangingRows(way, sink, target);
    await close(way);
    return [...alerts, rate, ...latency, ...hanging];
  } finally {
    await sink.stop();
  }
};

async function alertRows({ stack }: StackWay): Promise<Row[]> {
  const { ours, floor } = await measureAlerts(stack, 60);
  const row = (what: string, share: number, goal: number) => {
    const beside = [{ name: 'MQTT, bridge, pull and one write', value: percentile(floor, share) }];
    const note = `${ours.length} of each by turns`;
    return rowOf({ id: 'P4', what, unit: 'ms', ours: percentile(ours, share), beside, goal, goalOf: 'ratio', note });
  };
  return [row('MQTT to alert read by the API, p50', 0.5, 2), row('MQTT to alert read by the API, p99', 0.99, 4)];
}

async function latencyRows(way: StackWay, sink: Sink, target: Target): Promise<Row[]> {
  const { latencies, repeated } = await runAtRate(way, sink, target, { perSecond: 50, seconds: 10 });
  const row = (what: string, share: number, goal: number) => {
    const note = `${latencies.length} events by a plan of 50 a second, ${repeated} came twice; ${way.about}`;
    return rowOf({ id: 'P8', what, unit: 'ms', ours: percentile(latencies, share), goal, note });
  };
  return [row('event to receiver, local stack, p50', 0.5, 15), row('event to receiver, local stack, p99', 0.99, 60)];
}

async function rateRow(way: StackWay, sink: Sink, target: Target, trips: { reads: number; commits: number }) {
  const count = 400;
  const rates: number[] = [];
  const limits: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    limits.push(await storeLimit(way.stack.run, trips, count));
    const before = stackCpuMs(way.stack);
    const { seconds } = await runAtOnce(way, sink, target, count);
    rates.push(count / seconds);
    cpu.push((stackCpuMs(way.stack) - before) / count);
  }
  const beside = [{ name: 'the same reads and writes alone', value: Math.round(median(limits)) }];
  const note =
    `${trips.reads.toFixed(1)} reads and ${trips.commits.toFixed(1)} commits for each delivery; ` +
    `all processes of the stack take ${median(cpu).toFixed(1)} ms of CPU for it; ${way.about}`;
  const ours = Math.round(median(rates));
  const what = 'deliveries a second, local stack';
  return rowOf({ id: 'P7', what, unit: '/s', ours, beside, goal: 0.9, goalOf: 'ratio', sense: 'at least', note });
}

async function hangingRows(way: StackWay, sink: Sink, target: Target): Promise<Row[]> {
  const isCounted = (endpoint: string) => target.endpoints.indexOf(endpoint) >= mayHang;
  const p99 = async (hanging: number) => {
    await sink.hang(target.endpoints.slice(0, hanging));
    const plan = { perSecond: gentlePerSecond, seconds: 20 };
    return percentile((await runAtRate(way, sink, target, plan, isCounted)).latencies, 0.99);
  };
  const none = await p99(0);
  const rows: Row[] = [];
  for (const [hanging, words] of [
    [1, 'one of 20 endpoints hangs'],
    [5, 'five of 20 endpoints hang'],
  ] as const) {
    const beside = await p99(hanging);
    const what = `p99 of the others while ${words}, to that while none does, local stack`;
    const note = `${gentlePerSecond} a second, timeout ${target.timeoutSeconds} s: ${none.toFixed(0)} and ${beside.toFixed(0)} ms`;
    rows.push(rowOf({ id: 'P9', what, unit: 'times', ours: beside / none, goal: 1.2, moonshot: 1.1, note }));
  }
  await sink.hang([]);
  return rows;
}
