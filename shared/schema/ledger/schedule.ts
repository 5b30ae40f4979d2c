import Type, { type Static } from 'typebox';
import { closed, GroupId, Line, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';
import { TimeZone } from '../settings/settings.ts';
import { channelTable } from '../vocabulary.ts';
import { reportParts } from './report.ts';

export const reportRhythms = ['week', 'month'] as const;
const { maxLength, pattern, examples } = channelTable.email.contacts;
/** The form of an address that `withoutContacts` (`domain/notify/masked.ts`) has masked. */
const masked = '^.…@[A-Za-z0-9.-]{1,189}$';
/** Two addresses may have one masked form, so that they are compared when their forms are known. */
const recipients = { minItems: 1, maxItems: 20 } as const;

const members = {
  name: Type.String({ ...Line(128), examples: ['Cameras of the harbour'] }),
  every: OneOf(reportRhythms, {
    description:
      'From Monday to Monday, or a calendar month. A report is sent at 06:00 on the second day after its period, when the ledger has recorded all of it.',
  }),
  timeZone: TimeZone,
};
const groups = Type.Array(GroupId, { minItems: 1, maxItems: 30, uniqueItems: true });

/** A report that is mailed at the end of each period, as a person writes it. */
export const ReportScheduleInput = Type.Object(
  {
    ...members,
    by: Type.Optional(OneOf(reportParts, { default: 'device' })),
    groups: Type.Optional({ ...groups, description: 'None: every group that its author may see.' }),
    emails: Type.Array(Type.String({ maxLength, pattern: `${pattern}|${masked}`, examples: [...examples] }), {
      ...recipients,
      description: 'An address that an answer showed masked keeps the one that is stored.',
    }),
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'False: nothing is sent until it is true.' })),
  },
  closed,
);
export type ReportScheduleInput = Static<typeof ReportScheduleInput>;

const period = { from: Timestamp, to: Timestamp };

export const ReportSchedule = Type.Object(
  {
    scheduleId: Uuid,
    ...members,
    by: OneOf(reportParts),
    groups: Nullable(groups),
    emails: Type.Array(Type.String({ examples: [...examples] })),
    enabled: Type.Boolean({
      description: 'False also where the erasure of a person left nobody to send it to.',
    }),
    next: Nullable(
      Type.Object({ ...period, sendAt: Timestamp }, { ...closed, description: 'The next report. Null: it is paused.' }),
    ),
    last: Nullable(Type.Object({ ...period, sentAt: Timestamp }, { ...closed, description: 'The last report.' })),
    limitedTo: Nullable(
      Type.Array(GroupId, { description: 'Groups that it is limited to, because its author is; null: every group.' }),
    ),
    createdBy: Type.String(),
    createdAt: Timestamp,
    changedAt: Timestamp,
  },
  closed,
);
export type ReportSchedule = Static<typeof ReportSchedule>;

export const ReportScheduleList = Type.Object({ schedules: Type.Array(ReportSchedule) }, closed);
