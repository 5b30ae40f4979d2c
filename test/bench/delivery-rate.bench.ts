import { median, spreadOf } from './frame/measure.ts';
import { type Bench, rowOf } from './frame/row.ts';
import { aboutAll, openPeers } from './ways/open.ts';
import { close, runAtOnce, startSink, targetOf } from './ways/runs.ts';
import { startStackWay } from './ways/stack-way.ts';

const sizes = { tiny: { count: 20, rounds: 1 }, quick: { count: 200, rounds: 2 }, full: { count: 400, rounds: 5 } };
const goals = [
  { peer: 'graphile-worker', goal: 2 },
  { peer: 'BullMQ', goal: 0.5 },
] as const;

/**
 * N9: deliveries for each second of CPU of all processes, from the event to the stored result, by turns with peers that promise the same: guard,
 * signatures, and every event and attempt on disk. The database counts, the receiver does not.
 */
export const measure: Bench = async ({ size, hasPeers }) => {
  const { count, rounds } = sizes[size];
  const sink = await startSink();
  const target = targetOf(sink, 20);
  const stack = await startStackWay(target);
  const peers = await openPeers(hasPeers ? goals.map(({ peer }) => peer) : [], target);
  const ways = [stack, ...peers.ways];
  const rates = new Map(ways.map((way) => [way.name, [] as number[]]));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
        const { cpuSeconds } = await runAtOnce(way, sink, target, count);
        if (round > 0) rates.get(way.name)?.push(count / cpuSeconds);
      }
    }
    const books: string[] = [];
    for (const way of ways) books.push(`${way.name} delivered ${(await close(way)).delivered} of as many`);
    const ours = rates.get(stack.name) ?? [];
    const note = `rounds ${spreadOf(ours)}; ${books.join(', ')}; ${stack.about}${aboutAll(peers)}`;
    const row = (beside: { name: string; value: number }[], goal: number | null) =>
      rowOf({
        id: 'N9',
        what: 'deliveries for each second of CPU of all processes, local stack',
        unit: '/s',
        ours: median(ours),
        beside,
        goal,
        ...(goal === null ? {} : { goalOf: 'ratio', sense: 'at least' }),
        note,
      });
    const rows = goals.flatMap(({ peer, goal }) => {
      const of = rates.get(peer);
      return of ? [row([{ name: peer, value: median(of) }], goal)] : [];
    });
    return rows.length > 0 ? rows : [row([], null)];
  } finally {
    await sink.stop();
  }
};
