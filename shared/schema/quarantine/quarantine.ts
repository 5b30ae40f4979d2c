import Type, { type Static } from 'typebox';
import { closed, Nullable, OneOf, paging, Timestamp, undoable } from '../common.ts';
import { MemberFault } from '../problem.ts';
import { quarantineReasons, quarantineStatuses } from '../vocabulary.ts';

/** A message that could not become a report, kept with its bytes and every reason. */
export const QuarantinedReport = Type.Object(
  {
    reportId: Type.String(),
    status: OneOf(quarantineStatuses),
    reason: OneOf(quarantineReasons),
    errors: Type.Array(MemberFault),
    deviceId: Nullable(Type.String()),
    kind: Nullable(Type.String()),
    dialect: Type.String(),
    attributes: Type.Record(Type.String(), Type.String()),
    data: Type.String({ description: 'The bytes as received, in base64.' }),
    truncated: Type.Boolean(),
    messageId: Type.String(),
    receivedAt: Timestamp,
    quarantinedAt: Timestamp,
    ...undoable,
  },
  closed,
);
export type QuarantinedReport = Static<typeof QuarantinedReport>;

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
