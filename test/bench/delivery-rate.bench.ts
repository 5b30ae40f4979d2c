import { median, spreadOf } from './frame/measure.ts';
import { type Bench, rowOf } from './frame/row.ts';
import { aboutAll, openPeers } from './ways/open.ts';
import { close, runAtOnce, startSink, targetOf } from './ways/runs.ts';
import { startTwin } from './ways/twin.ts';

const counts = { tiny: 40, quick: 1000, full: 2000 };

/** P7: events at full speed, from their acceptance to the stored result of their delivery, for each second of CPU. */
export const measure: Bench = async ({ size, hasPeers }) => {
  const count = counts[size];
  const rounds = size === 'full' ? 7 : size === 'quick' ? 3 : 1;
  const sink = await startSink();
  const target = targetOf(sink, 20);
  const twin = await startTwin(target);
  const peers = await openPeers(hasPeers ? ['BullMQ', 'graphile-worker'] : [], target);
  const ways = [twin, ...peers.ways];
  try {
    const rates = new Map(ways.map((way) => [way, [] as number[]]));
    const stores = new Map(ways.map((way) => [way, [] as number[]]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
        const { cpuSeconds, storeSeconds } = await runAtOnce(way, sink, target, count);
        if (round === 0) continue;
        rates.get(way)?.push(count / cpuSeconds);
        stores.get(way)?.push((storeSeconds / count) * 1e6);
      }
    }
    const books = [];
    for (const way of ways) books.push(`${way.name} ${(await close(way)).delivered} delivered of as many sent`);
    const beside = peers.ways.map((way) => ({ name: way.name, value: Math.round(median(rates.get(way) ?? [])) }));
    const stored = peers.ways.map(
      (way) => `${way.name}'s database ${median(stores.get(way) ?? []).toFixed(0)} µs more`,
    );
    const [first] = rates.values();
    const note = `rounds ${spreadOf(first ?? [])}; ${twin.about}; ${books.join(', ')}${stored.map((line) => `; ${line}`).join('')}${aboutAll(peers)}`;
    const ours = Math.round(median(first ?? []));
    const row = (peer: number, goal: number) =>
      rowOf({
        id: 'P7',
        what: `deliveries for each second of CPU, in-process store, beside ${beside[peer]?.name}`,
        unit: '/s',
        ours,
        beside: beside.slice(peer, peer + 1),
        goal,
        goalOf: 'ratio',
        sense: 'at least',
        note,
      });
    if (beside.length > 1) return [row(0, 0.8), row(1, 2)];
    const what = 'deliveries for each second of CPU, in-process store';
    return [rowOf({ id: 'P7', what, unit: '/s', ours, beside, goal: 2500, sense: 'at least', note })];
  } finally {
    await sink.stop();
  }
};
