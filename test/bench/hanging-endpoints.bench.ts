import { interleaved, median, percentile, spreadOf } from './frame/measure.ts';
import { type Bench, rowOf, type Size } from './frame/row.ts';
import { aboutAll, type Opened, openPeers } from './ways/open.ts';
import { close, runAtRate, type Sink, startSink, targetOf } from './ways/runs.ts';
import { startTwin } from './ways/twin.ts';
import type { Target, Way } from './ways/way.ts';

const perSecond = 200;
/** A full phase is longer than the timeout of hanging endpoints, so that it includes timeouts and retries. */
const seconds = { tiny: 1, quick: 2, full: 12 };
const rounds = { tiny: 1, quick: 3, full: 5 };
/** Up to this many of the first endpoints hang. In every phase only the other endpoints are measured. */
const mayHang = 5;

/** The 99th percentiles of each phase in milliseconds, one for each measurement. */
type Phases = Record<'none' | 'one' | 'five', number[]>;

/** P9: how endpoints that hang until their timeout delay the others: none of twenty hangs, then one, then five. */
export const measure: Bench = async ({ size, hasPeers }) => {
  const sink = await startSink();
  const target = targetOf(sink, 20);
  try {
    const ours = await twinPhases(sink, target, size);
    const others = new Map<string, Phases>();
    const opened: Opened = { ways: [], missing: [] };
    for (const name of hasPeers ? (['BullMQ', 'graphile-worker', 'Alertmanager'] as const) : []) {
      const { ways, missing } = await openPeers([name], target);
      opened.missing.push(...missing);
      for (const way of ways) {
        opened.ways.push(way);
        others.set(name, await peerPhases(way, sink, target, size));
        await close(way);
      }
    }
    return (['one', 'five'] as const).map((phase) => {
      const ratio = (phases: Phases) => median(phases[phase]) / median(phases.none);
      const beside = [...others].map(([name, phases]) => ({ name, value: ratio(phases) }));
      const said = [ours.none, ours[phase]].map((p99s) => `${median(p99s).toFixed(1)} ms (${spreadOf(p99s, 1)})`);
      const what = `p99 of the others while ${phase} of 20 endpoints ${phase === 'one' ? 'hangs' : 'hang'}, to that while none does`;
      const note = `200 a second, timeout ${target.timeoutSeconds} s; medians without and with: ${said.join(', ')}${aboutAll(opened)}`;
      return rowOf({ id: 'P9', what, unit: 'times', ours: ratio(ours), beside, goal: 1.2, moonshot: 1.1, note });
    });
  } finally {
    await sink.stop();
  }
};

/** Alternately, because one pause of the process can decide a 99th percentile, and each time in a new twin without state of another phase. */
function twinPhases(sink: Sink, target: Target, size: Size): Promise<Phases> {
  const phase = (hanging: number) => async () => {
    const twin = await startTwin(target);
    // Opens the connections before the measurement.
    await runAtRate(twin, sink, target, { perSecond, seconds: 0.5 });
    const p99 = await p99Of(twin, sink, target, size, hanging);
    await close(twin);
    return p99;
  };
  return interleaved(rounds[size], { none: phase(0), one: phase(1), five: phase(5) });
}

/** Each phase once, with the same peer: hanging jobs leave a peer's queue only after minutes, so the phases cannot alternate. */
async function peerPhases(way: Way, sink: Sink, target: Target, size: Size): Promise<Phases> {
  // Warms up as long as a phase. Otherwise compilation would slow down the first phase, which the other two are compared with.
  await runAtRate(way, sink, target, { perSecond, seconds: seconds[size] });
  const p99 = async (hanging: number) => [await p99Of(way, sink, target, size, hanging)];
  return { none: await p99(0), one: await p99(1), five: await p99(5) };
}

async function p99Of(way: Way, sink: Sink, target: Target, size: Size, hanging: number): Promise<number> {
  const isCounted = (endpoint: string) => target.endpoints.indexOf(endpoint) >= mayHang;
  await sink.hang(target.endpoints.slice(0, hanging));
  const { latencies } = await runAtRate(way, sink, target, { perSecond, seconds: seconds[size] }, isCounted);
  await sink.hang([]);
  return percentile(latencies, 0.99);
}
