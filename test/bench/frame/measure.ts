import { readdirSync, readFileSync } from 'node:fs';

/** Measures one round; 0 is the warm-up. The figure is, for example, microseconds for one operation. */
type Round = (round: number) => Promise<number>;

/**
 * Measures several works alternately, so that a noisy neighbour disturbs all of them equally. One round of each is a warm-up and not counted.
 * Then `rounds` rounds follow, and each reverses the order.
 * @returns the figures of each work, one per round: figures with the same index were measured directly after one another
 */
export async function interleaved<W extends Record<string, Round | undefined>>(
  rounds: number,
  works: W,
): Promise<{ [N in keyof W]: number[] }> {
  const entries = Object.entries(works) as [keyof W, Round][];
  const figures = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as { [N in keyof W]: number[] };
  for (const [, work] of entries) await work(0);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, work] of round % 2 === 0 ? entries : entries.toReversed()) figures[name].push(await work(round));
  }
  return figures;
}

/** CPU of all threads of this process for one operation, in µs; `width` operations are in flight at a time. */
export async function cpuOf(count: number, width: number, work: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: width }, lane));
  return cpuSince(before) / count;
}

/** As `cpuOf`, for synchronous work. */
export function cpuOfPlain(count: number, work: (index: number) => unknown): number {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) work(index);
  return cpuSince(before) / count;
}

/** CPU of other processes and their children since their start, ms. The kernel counts it in ticks of 10 ms. */
export function cpuMsOf(pids: readonly number[]): number {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []));
  return all
    .filter(({ pid, parent }) => pids.includes(pid) || pids.includes(parent))
    .reduce((sum, { ticks }) => sum + ticks * 10, 0);
}

function statOf(pid: string): { pid: number; parent: number; ticks: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = low] =
    sorted.length % 2 === 0 ? sorted.slice(middle - 1, middle + 1) : [sorted[middle]];
  return (low + high) / 2;
}

/** The smallest value that at least this share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The median of the differences `ours` - `floor`, each of the same round. */
export function medianAbove(ours: readonly number[], floor: readonly number[]): number {
  return median(ours.map((value, round) => value - (floor[round] ?? Number.NaN)));
}

/** Lowest and highest of the rounds, for a note. */
export function spreadOf(values: readonly number[], digits = 0): string {
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
}
