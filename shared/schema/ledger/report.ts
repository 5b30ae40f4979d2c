import Type, { type Static } from 'typebox';
import { closed, DeviceId, GroupId, Nullable, OneOf, Timestamp } from '../common.ts';

const reportParts = ['device', 'site', 'group'] as const;
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
      'Percent of the time that counts, rounded down: what is uncertain counted as not seen, and as seen. Null: no time counts.',
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
  { ...closed, description: 'It happened between these.' },
);
export const RecordedOutage = Type.Object(
  {
    deviceId: DeviceId,
    state: OneOf(['blind', 'uncertain']),
    cause: OneOf(outageCauses),
    began: OutageEdge,
    ended: Nullable(OutageEdge),
    isPlanned: Type.Boolean(),
    index: Type.Integer({ minimum: 0, description: 'The leaf of the ledger that says so.' }),
  },
  closed,
);

/** What the ledger says of a time: how long each camera was seen, and how that was counted. */
export const AvailabilityReport = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    by: OneOf(reportParts),
    generatedAt: Timestamp,
    accounting: Type.String({
      description: 'What counts, what is excused, and how the uncertain was counted.',
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
      { description: 'Each day (UTC) of one camera, where `deviceId` asks for it. Else empty.' },
    ),
    parts: Type.Array(AvailabilityPart),
    worst: Type.Array(AvailabilityPart, { maxItems: 20 }),
    outages: Type.Array(RecordedOutage, { maxItems: 1000, description: 'The longest, longest first.' }),
    outagesInAll: Type.Integer({ minimum: 0 }),
    checkpoint: Nullable(
      Type.String({
        description: 'The signed note that commits to all of it.',
        examples: ['watchpost.example.com/ledger\n1\n…'],
      }),
    ),
    verification: Type.String({ description: 'How anybody can check it.', examples: ['Ask /v1/ledger/proof …'] }),
  },
  closed,
);
export type AvailabilityReport = Static<typeof AvailabilityReport>;
