import Type, { type Static } from 'typebox';
import { Counts } from '../alert/counts.ts';
import { closed, GroupId, Nullable, OneOf, Timestamp } from '../common.ts';

const buckets = ['hour', 'day'] as const;

export const TrendsQuery = Type.Object(
  {
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 31, default: 7 })),
    bucket: Type.Optional(OneOf(buckets)),
    groupId: Type.Optional(Type.Array(GroupId, { minItems: 1, maxItems: 30, uniqueItems: true })),
  },
  closed,
);
export type TrendsQuery = Static<typeof TrendsQuery>;

const seconds = Nullable(Type.Number());
export const Durations = Type.Object(
  { count: Type.Integer(), meanSeconds: seconds, medianSeconds: seconds, p95Seconds: seconds },
  {
    ...closed,
    description: 'Median and percentile are computed from classes of durations. The error is at most 9 %.',
  },
);
/** Statistics of the fleet over time, read from counters, so that the number of alerts does not matter. */
export const TrendsAnswer = Type.Object(
  {
    since: Timestamp,
    until: Timestamp,
    bucket: OneOf(buckets),
    buckets: Type.Array(Type.Object({ at: Timestamp, opened: Counts }, closed)),
    timeToAcknowledge: Durations,
    timeToResolve: Durations,
  },
  closed,
);
export type TrendsAnswer = Static<typeof TrendsAnswer>;
