import Type, { type Static } from 'typebox';
import { closed, Nullable, named, OneOf, paging, Timestamp, undoable } from '../common.ts';
import { MemberFault } from '../problem.ts';
import { quarantineReasons, quarantineStatuses } from '../vocabulary.ts';

/** How many messages of the same device and hour were not kept. The count stands on the last message that was kept. */
export const Suppressed = Type.Object(
  {
    count: Type.Integer({ minimum: 1 }),
    firstAt: Timestamp,
    lastAt: Timestamp,
    reasons: Type.Record(Type.String(), Type.Integer(), { examples: [{ unreadable: 12 }] }),
  },
  closed,
);
export type Suppressed = Static<typeof Suppressed>;

const members = {
  reportId: Type.String(),
  status: OneOf(quarantineStatuses),
  reason: OneOf(quarantineReasons),
  errors: Type.Array(MemberFault),
  deviceId: Nullable(Type.String({ description: 'As its sender says.' })),
  ...named,
  kind: Nullable(Type.String()),
  dialect: Type.String(),
  attributes: Type.Record(Type.String(), Type.String(), {
    description: 'In a list: the first characters of the first 20.',
  }),
  excerpt: Type.String({
    examples: ['{"memory":'],
    description: 'The beginning of its text; invisible characters are shown by their codes.',
  }),
  sizeBytes: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean({ description: 'It was too large to be kept completely.' }),
  suppressed: Nullable(Suppressed),
  messageId: Type.String(),
  receivedAt: Timestamp,
  quarantinedAt: Timestamp,
  ...undoable,
};

/** A message that could not become a report, with every reason. */
export const QuarantinedReport = Type.Object(members, closed);
export type QuarantinedReport = Static<typeof QuarantinedReport>;

/** The same with everything that is kept of it. */
export const QuarantinedMessage = Type.Object(
  { ...members, data: Type.String({ description: 'The bytes as received, in base64.' }) },
  closed,
);
export type QuarantinedMessage = Static<typeof QuarantinedMessage>;

export const QuarantineList = Type.Object(
  { reports: Type.Array(QuarantinedReport), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const QuarantineQuery = Type.Object(
  {
    status: Type.Optional(Type.Array(OneOf([...quarantineStatuses, 'all']), { minItems: 1, maxItems: 3 })),
    ...paging,
  },
  closed,
);

/** Selects the quarantined messages to retry. Without members: all of them. */
export const RetryManyRequest = Type.Object(
  {
    reasons: Type.Optional(Type.Array(OneOf(quarantineReasons), { minItems: 1, uniqueItems: true })),
    since: Type.Optional(Timestamp),
    until: Type.Optional(Timestamp),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Count only.' })),
  },
  closed,
);
export type RetryManyRequest = Static<typeof RetryManyRequest>;
