import { earliest, type Instant, latest } from '../time.ts';

/** One of the bridges that share the devices of a broker: number `partition` of `of`, from 1 on. */
export type Partition = { partition: number; of: number };

/** A bridge that is alone, or whatever else connects a broker without saying which part it forwards. */
export const wholeBroker: Partition = { partition: 1, of: 1 };

const mostPartitions = 64;

/** Whether bridges can be divided so: by a power of two, so that a device has one of them. */
export function isPartition({ partition, of }: Partition): boolean {
  const isDivision = Number.isInteger(of) && of >= 1 && of <= mostPartitions && Number.isInteger(Math.log2(of));
  return isDivision && Number.isInteger(partition) && partition >= 1 && partition <= of;
}

export function partitionId({ partition, of }: Partition): string {
  return `${of}-${partition}`;
}

/** When a canary came through a partition, or when a person removed the partition. */
export type PartitionSighting = Partition & { sentAt: Instant; removedAt?: Instant };

/** A partition that is expected to forward. `heardAt` null: it never did. */
export type Expected = Partition & { heardAt: Instant | null };

/** All partitions of one division, without those that a person removed. */
type Division = { of: number; expected: Expected[]; oldestAt: Instant | null; newestAt: Instant | null };

function divisionsOf(heard: readonly PartitionSighting[]): Division[] {
  return [...Map.groupBy(heard, ({ of }) => of)].map(([of, members]) => {
    const known = new Map(members.map((member) => [member.partition, member]));
    const expected = Array.from({ length: of }, (_unused, index): Expected[] => {
      const member = known.get(index + 1);
      if (member?.removedAt !== undefined) return [];
      return [{ partition: index + 1, of, heardAt: member?.sentAt ?? null }];
    }).flat();
    const times = expected.map(({ heardAt }) => heardAt);
    return {
      of,
      expected,
      oldestAt: times.includes(null) ? null : earliest(times),
      newestAt: times.reduce((newest, at) => latest(newest, at), null),
    };
  });
}

/**
 * The partitions that together forward every device: of the division whose oldest canary is the newest. Empty: no division is complete. While bridges
 * are divided anew, either division is enough.
 */
export function covering(heard: readonly PartitionSighting[]): Partition[] {
  const complete = divisionsOf(heard).filter(({ oldestAt }) => oldestAt !== null);
  const best = complete.toSorted((a, b) => ((a.oldestAt ?? '') < (b.oldestAt ?? '') ? 1 : -1))[0];
  return best?.expected ?? [];
}

/**
 * The partitions that are expected to forward. A division leaves only by evidence: when each partition of another one was heard after all of it. Time
 * alone removes none, so that a dead bridge stays named.
 */
export function expectedPartitions(heard: readonly PartitionSighting[]): Expected[] {
  const divisions = divisionsOf(heard);
  const hasLeft = (division: Division) =>
    divisions.some(
      ({ of, oldestAt }) => of !== division.of && oldestAt !== null && (division.newestAt ?? '') < oldestAt,
    );
  return divisions
    .filter((division) => !hasLeft(division))
    .flatMap(({ expected }) => expected)
    .toSorted((a, b) => a.of - b.of || a.partition - b.partition);
}
