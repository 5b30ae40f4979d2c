import { percentile } from './frame/measure.ts';
import { type Bench, type Row, rowOf } from './frame/row.ts';
import { aboutAll, openPeers } from './ways/open.ts';
import { close, runAtRate, startSink, targetOf } from './ways/runs.ts';
import { startTwin } from './ways/twin.ts';

const seconds = { tiny: 1, quick: 3, full: 5 };
const perSecond = 50;

/** P8: time from an event's scheduled time to its arrival at the receiver, at 50 events a second. */
export const measure: Bench = async ({ size, hasPeers }) => {
  const rounds = size === 'full' ? 5 : 1;
  const sink = await startSink();
  const target = targetOf(sink, 20);
  const twin = await startTwin(target);
  const peers = await openPeers(hasPeers ? ['BullMQ', 'graphile-worker', 'Alertmanager'] : [], target);
  const ways = [twin, ...peers.ways];
  try {
    const all = new Map(ways.map((way) => [way, [] as number[]]));
    for (const way of ways) await runAtRate(way, sink, target, { perSecond: 100, seconds: 1 });
    for (let round = 0; round < rounds; round += 1) {
      for (const way of ways) {
        const { latencies, repeated } = await runAtRate(way, sink, target, { perSecond, seconds: seconds[size] });
        if (repeated > 0) throw new Error(`${way.name}: ${repeated} events came more than once`);
        all.get(way)?.push(...latencies);
      }
    }
    for (const way of ways) await close(way);
    const row = (what: string, share: number, goal: number): Row => {
      const [ours = Number.NaN, ...others] = [...all.values()].map((latencies) => percentile(latencies, share));
      const beside = peers.ways.map(({ name }, index) => ({ name, value: others[index] ?? Number.NaN }));
      const note = `${all.get(twin)?.length} events by a plan of 50 a second; ${twin.about}${aboutAll(peers)}`;
      return rowOf({ id: 'P8', what, unit: 'ms', ours, beside, goal, note });
    };
    return [
      row('event to receiver, in-process store, p50', 0.5, 2),
      row('event to receiver, in-process store, p99', 0.99, 10),
    ];
  } finally {
    await sink.stop();
  }
};
