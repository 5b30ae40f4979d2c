import Type, { type Static } from 'typebox';
import { paging } from '../alert/alert.ts';
import { closed, Nullable, OneOf, Timestamp, undoable } from '../common.ts';

export const quarantineReasons = [
  'unreadable',
  'wrong-shape',
  'unknown-kind',
  'foreign-device',
  'unknown-device',
  'too-large',
  'dead-letter',
] as const;

/** A message that could not become a report, kept with its bytes and every reason. */
export const QuarantinedReport = Type.Object(
  {
    reportId: Type.String(),
    status: OneOf(['quarantined', 'retried', 'dismissed']),
    reason: OneOf(quarantineReasons),
    errors: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }, closed)),
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
    status: Type.Optional(
      Type.Array(OneOf(['quarantined', 'retried', 'dismissed', 'all']), { minItems: 1, maxItems: 3 }),
    ),
    ...paging,
  },
  closed,
);
