import Type, { type Static } from 'typebox';
import { AlertCode } from '../alert/alert.ts';
import { closed, DeviceId, Nullable, OneOf, paging, Timestamp } from '../common.ts';
import { activityKinds } from '../vocabulary.ts';

/** One entry in the activity of a device: an event of its own, or a change of one of its alerts. */
export const ActivityItem = Type.Object(
  {
    entryId: Type.String(),
    deviceId: DeviceId,
    at: Timestamp,
    kind: OneOf([...activityKinds, 'alert']),
    who: Type.String({ description: 'A token subject, `device`, `system` or `rule:<id>`.' }),
    summary: Type.String(),
    alertId: Nullable(Type.String()),
    code: Nullable(AlertCode),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  closed,
);
export type ActivityItem = Static<typeof ActivityItem>;

export const ActivityList = Type.Object(
  { entries: Type.Array(ActivityItem), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const ActivityQuery = Type.Object(paging, closed);
export type ActivityQuery = Static<typeof ActivityQuery>;
