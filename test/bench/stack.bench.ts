import { missingForEmulators } from '../../local/cloud/emulators.ts';
import { median, percentile } from './frame/measure.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';
import { measureAlerts } from './ways/alert-latency.ts';
import { close, runAtRate, type Sink, startSink, targetOf } from './ways/runs.ts';
import { type StackWay, startStackWay } from './ways/stack-way.ts';
import type { Target } from './ways/way.ts';

/** Events a second that the emulator can handle while endpoints hang. Its limit is a few hundred writes a second. */
const gentlePerSecond = 20;
const mayHang = 5;

/** P4, P8 and P9 with the whole service on this machine, on the emulators of Firestore and Pub/Sub. */
export const measure: Bench = async () => {
  const missing = missingForEmulators();
  if (missing) throw new Error(`${missing} is missing`);
  const sink = await startSink();
  const target = targetOf(sink, 20);
  const way = await startStackWay(target);
  try {
    const alerts = await alertRows(way);
    await runAtRate(way, sink, target, { perSecond: gentlePerSecond, seconds: 5 });
    const latency = await latencyRows(way, sink, target);
    const hanging = await hangingRows(way, sink, target);
    await close(way);
    return [...alerts, ...latency, ...hanging];
  } finally {
    await sink.stop();
  }
};

async function alertRows({ stack }: StackWay): Promise<Row[]> {
  const { ours, floor } = await measureAlerts(stack, 60);
  const beside = [{ name: 'MQTT, bridge, pull and one write', value: median(floor) }];
  const [what, note] = ['MQTT to alert read by the API, p50', `${ours.length} of each by turns`];
  return [rowOf({ id: 'P4', what, unit: 'ms', ours: median(ours), beside, goal: 2, goalOf: 'ratio', note })];
}

async function latencyRows(way: StackWay, sink: Sink, target: Target): Promise<Row[]> {
  const { latencies, repeated } = await runAtRate(way, sink, target, { perSecond: 50, seconds: 10 });
  const row = (what: string, share: number, goal: number) => {
    const note = `${latencies.length} events by a plan of 50 a second, ${repeated} came twice; ${way.about}`;
    return rowOf({ id: 'P8', what, unit: 'ms', ours: percentile(latencies, share), goal, note });
  };
  return [row('event to receiver, local stack, p50', 0.5, 15), row('event to receiver, local stack, p99', 0.99, 60)];
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
