import { median, percentile } from './frame/measure.ts';
import { type Bench, rowOf, type Size } from './frame/row.ts';
import { aboutAll, type Opened, openPeers } from './ways/open.ts';
import { close, runAtRate, type Sink, startSink, targetOf } from './ways/runs.ts';
import { startTwin } from './ways/twin.ts';
import type { Target, Way } from './ways/way.ts';

const perSecond = 200;
const seconds = { tiny: 1, quick: 5, full: 14 };
/** The first so many endpoints hang by turns; only the others count, in every phase. */
const mayHang = 5;

type Phases = { none: number; one: number; five: number };

/** P9: what the others feel of endpoints that hang until their timeout: none of twenty, then one, then five. */
export const measure: Bench = async ({ size, hasPeers }) => {
  const sink = await startSink();
  const target = targetOf(sink, 20);
  const rounds = size === 'full' ? 3 : 1;
  try {
    const ours: Phases[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const twin = await startTwin(target);
      ours.push(await phasesOf(twin, sink, target, size));
      await close(twin);
    }
    const others = new Map<string, Phases>();
    const opened: Opened = { ways: [], missing: [] };
    for (const name of hasPeers ? (['BullMQ', 'graphile-worker', 'Alertmanager'] as const) : []) {
      const { ways, missing } = await openPeers([name], target);
      opened.missing.push(...missing);
      for (const way of ways) {
        opened.ways.push(way);
        others.set(name, await phasesOf(way, sink, target, size));
        await close(way);
      }
    }
    return (['one', 'five'] as const).map((phase) => {
      const beside = [...others].map(([name, phases]) => ({ name, value: phases[phase] / phases.none }));
      const said = ours.map((each) => `${each.none.toFixed(1)} and ${each[phase].toFixed(1)} ms`).join(', ');
      const what = `p99 of the others while ${phase} of 20 endpoints ${phase === 'one' ? 'hangs' : 'hang'}, to that while none does`;
      const note = `200 a second, timeout ${target.timeoutSeconds} s; without and with: ${said}${aboutAll(opened)}`;
      const ratios = ours.map((each) => each[phase] / each.none);
      return rowOf({ id: 'P9', what, unit: 'times', ours: median(ratios), beside, goal: 1.2, moonshot: 1.1, note });
    });
  } finally {
    await sink.stop();
  }
};

async function phasesOf(way: Way, sink: Sink, target: Target, size: Size): Promise<Phases> {
  const isCounted = (endpoint: string) => target.endpoints.indexOf(endpoint) >= mayHang;
  const p99 = async (hanging: number) => {
    await sink.hang(target.endpoints.slice(0, hanging));
    const plan = { perSecond, seconds: seconds[size] };
    return percentile((await runAtRate(way, sink, target, plan, isCounted)).latencies, 0.99);
  };
  // As long as a phase: code that is still being compiled would make the first of them, which the others are held against, look slow.
  await runAtRate(way, sink, target, { perSecond, seconds: seconds[size] });
  const phases = { none: await p99(0), one: await p99(1), five: await p99(5) };
  await sink.hang([]);
  return phases;
}
