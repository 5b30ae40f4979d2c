import Type, { type Static } from 'typebox';
import { closed, DeviceId, GroupId, Nullable, OneOf, Timestamp } from '../common.ts';
import { TimeZone } from '../settings/settings.ts';

export const reportParts = ['device', 'site', 'group'] as const;
const reportFormats = ['json', 'csv', 'pdf'] as const;
/** Reasons why a camera was not seen, as a report counts them. */
const outageCauses = ['lost', 'silent', 'platform', 'unknown', 'not-registered'] as const;

export const AvailabilityQuery = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    by: Type.Optional(OneOf(reportParts, { default: 'device' })),
    format: Type.Optional(OneOf(reportFormats, { default: 'json' })),
    deviceId: Type.Optional(DeviceId),
    groupId: Type.Optional(Type.Array(GroupId, { minItems: 1, maxItems: 30, uniqueItems: true })),
    timeZone: Type.Optional(
      Type.String({ ...TimeZone, description: 'IANA name of the zone whose months and days it has. None: UTC.' }),
    ),
  },
  closed,
);
export type AvailabilityQuery = Static<typeof AvailabilityQuery>;

const minutes = Type.Number({ minimum: 0 });
export const MinutesByKind = Type.Object(
  {
    seen: minutes,
    lost: minutes,
    silent: minutes,
    uncertain: minutes,
    planned: minutes,
    platform: minutes,
    notRegistered: minutes,
    notRecorded: minutes,
  },
  { ...closed, description: 'Each minute belongs to one kind.' },
);

const percent = Nullable(Type.Number({ minimum: 0, maximum: 100 }));
export const Availability = Type.Object(
  { uncertainIsDown: percent, uncertainIsUp: percent },
  {
    ...closed,
    description:
      'Percent of the counted time, rounded down: with uncertain time counted as not seen, and as seen. Null: no time counts.',
  },
);

export const AvailabilityPart = Type.Object(
  {
    id: Type.String({ examples: ['cam-0012'] }),
    name: Nullable(Type.String({ examples: ['North gate'] })),
    devices: Type.Integer({ minimum: 0 }),
    minutes: MinutesByKind,
    availability: Availability,
  },
  closed,
);

export const OutageEdge = Type.Object(
  { earliest: Timestamp, latest: Timestamp },
  { ...closed, description: 'The earliest and the latest possible time.' },
);
export const RecordedOutage = Type.Object(
  {
    deviceId: DeviceId,
    deviceName: Nullable(Type.String({ description: 'Name of the camera now.' })),
    state: OneOf(['blind', 'uncertain']),
    cause: OneOf(outageCauses),
    began: OutageEdge,
    ended: Nullable(OutageEdge),
    isPlanned: Type.Boolean(),
    index: Type.Integer({ minimum: 0, description: 'The leaf of the ledger that records it.' }),
  },
  closed,
);

/** How long each camera was seen during a period, as the ledger records it, and the rules of the count. */
export const AvailabilityReport = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    by: OneOf(reportParts),
    timeZone: Type.String({ description: 'The zone of its months and days.', examples: ['UTC'] }),
    generatedAt: Timestamp,
    accounting: Type.String({
      description: 'What is counted, what is excused, and how uncertain time is counted.',
      examples: ['Counted: …'],
    }),
    total: AvailabilityPart,
    months: Type.Array(
      Type.Object(
        {
          month: Type.String({ pattern: '^\\d{4}-\\d\\d$', examples: ['2026-11'] }),
          minutes: MinutesByKind,
          availability: Availability,
        },
        closed,
      ),
    ),
    days: Type.Array(
      Type.Object(
        { day: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', examples: ['2026-11-20'] }), minutes: MinutesByKind },
        closed,
      ),
      { description: 'Each day of one camera, if `deviceId` requests it; otherwise empty.' },
    ),
    parts: Type.Array(AvailabilityPart),
    worst: Type.Array(AvailabilityPart, { maxItems: 20 }),
    outages: Type.Array(RecordedOutage, { maxItems: 1000, description: 'The longest, longest first.' }),
    outagesInAll: Type.Integer({ minimum: 0 }),
    checkpoint: Nullable(
      Type.String({
        description: 'The signed note that commits to the whole ledger.',
        examples: ['watchpost.example.com/ledger\n1\n…'],
      }),
    ),
    verification: Type.String({ description: 'How to verify it.', examples: ['Ask /v1/ledger/proof …'] }),
  },
  closed,
);
export type AvailabilityReport = Static<typeof AvailabilityReport>;
