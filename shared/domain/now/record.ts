import { type Severity, severities } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';
import { folded } from './arrange.ts';
import type { Cause } from './cause.ts';
import { byRank } from './rank.ts';

/**
 * What is wrong now in a group, or in the whole fleet (`*`), outside incidents: its worst causes. A group in which nothing is wrong has none. A new
 * record has only `isStale`, so that it is made without a read.
 */
export type NowRecord = {
  groupId: string;
  /** Something has changed since it was written. */
  isStale: boolean;
  at?: Instant;
  causes?: Cause[];
  /** Causes that are left out because there is no room, by severity. */
  rest?: Rest;
  /** More alerts are open than were read: counts are at least what they say. */
  isMore?: boolean;
  /** Cameras of the sites that are named, and when they were counted. */
  sites?: Record<string, { cameras: number; countedAt: Instant }>;
  /** When the record of the fleet was last made from those of its groups. */
  mergedAt?: Instant;
};
export type Rest = Partial<Record<Severity, number>>;

/** The causes that one record holds. */
export const mostCauses = 200;
/** A record is at most 200 KB; this leaves room for its other members. */
const mostBytes = 170_000;

/** The worst causes that fit into a record, and the number of the others. */
export function cut(causes: readonly Cause[], rest: Rest = {}): { causes: Cause[]; rest: Rest } {
  const kept: Cause[] = [];
  const others: Rest = { ...rest };
  let bytes = 0;
  for (const cause of causes.toSorted(byRank)) {
    bytes += Buffer.byteLength(JSON.stringify(cause));
    if (kept.length < mostCauses && bytes <= mostBytes) kept.push(cause);
    else others[cause.severity] = (others[cause.severity] ?? 0) + 1;
  }
  return { causes: kept, rest: others };
}

/** The causes of several groups together: the same code in several groups is one cause, if it is at many places in all. */
export function merged(records: readonly NowRecord[]): { causes: Cause[]; rest: Rest; isMore: boolean } {
  const rest: Rest = {};
  for (const severity of severities) {
    const count = records.reduce((sum, each) => sum + (each.rest?.[severity] ?? 0), 0);
    if (count > 0) rest[severity] = count;
  }
  const causes = folded(records.flatMap((each) => each.causes ?? []));
  return { ...cut(causes, rest), isMore: records.some(({ isMore }) => isMore === true) };
}
