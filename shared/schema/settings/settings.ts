import Type, { type Static } from 'typebox';
import { type PeopleChannel, peopleChannels } from '../channels.ts';
import { closed, GroupId, Nullable, OneOf, PlaceId, Reporting } from '../common.ts';
import {
  type AlertCode,
  alertCodes,
  type Channel,
  channels,
  type Severity,
  severities,
  timedSeverities,
  weekdays,
} from '../vocabulary.ts';
import { EscalationPolicy } from './escalation.ts';
import { DeviceLimits } from './limits.ts';
import { TeamName } from './rule.ts';

export const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$', examples: ['08:30'] });
export const Weekday = OneOf(weekdays);
export const Period = Type.Object(
  {
    days: Type.Array(Weekday, { minItems: 1, maxItems: 7, uniqueItems: true }),
    from: TimeOfDay,
    to: TimeOfDay,
  },
  { ...closed, description: 'From `from` until just before `to`; if `to` is not after `from`, it is on the next day.' },
);
export type Period = Static<typeof Period>;
const Periods = Type.Array(Period, { minItems: 1, maxItems: 20 });
export const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA name.',
  examples: ['Europe/Stockholm'],
});

/** A named schedule. Without a time zone of its own it uses `timeZone` of the settings. */
export const Schedule = Type.Object({ timeZone: Type.Optional(TimeZone), periods: Periods }, closed);
export type Schedule = Static<typeof Schedule>;

const responseSeconds = Type.Integer({ minimum: 1, maximum: 30 * 24 * 3600 });
const cells = Object.fromEntries(channels.map((channel) => [channel, Type.Boolean()])) as Record<
  Channel,
  Type.TBoolean
>;
/** The channels that notify, for one severity. */
export const ChannelChoice = Type.Object(cells, closed);
const rows = Object.fromEntries(severities.map((severity) => [severity, ChannelChoice])) as Record<
  Severity,
  typeof ChannelChoice
>;

const updateCell = Type.Array(OneOf(timedSeverities), { uniqueItems: true, maxItems: 3 });
/** For one kind of update, an acknowledgement or an end: the severities with which each channel reports it. */
export const UpdateChoice = Type.Object(
  Object.fromEntries(peopleChannels.map((channel) => [channel, updateCell])) as Record<
    PeopleChannel,
    typeof updateCell
  >,
  closed,
);

const IdPattern = Type.Object(
  {
    pattern: Type.String({
      pattern: '^[A-Za-z0-9._*-]{1,128}$',
      description: '`*` stands for any characters, also none.',
      examples: ['gbg-*'],
    }),
    groupId: GroupId,
    site: Type.Optional(Nullable(PlaceId)),
  },
  closed,
);
export type IdPattern = Static<typeof IdPattern>;

export const QuietHours = Type.Object(
  {
    schedule: Type.String({ minLength: 1, maxLength: 64, examples: ['night'] }),
    hold: Type.Array(OneOf(timedSeverities), { uniqueItems: true, maxItems: 3 }),
  },
  {
    ...closed,
    description:
      "During the schedule, notifications of openings, deteriorations and escalations with these severities wait for its end, and are then sent as one digest of what is still true. Incidents and machines never wait. A team's quiet hours replace those of the settings.",
  },
);
export type QuietHours = Static<typeof QuietHours>;

export const LoneCamera = Type.Object(
  {
    placeOf: Type.Integer({ minimum: 0, maximum: 100_000, description: '0: every camera is told by SMS at once.' }),
    smsAfterMinutes: Type.Integer({ minimum: 0, maximum: 1440, description: '0: it is told by SMS at once.' }),
  },
  {
    ...closed,
    description:
      'A camera that is lost alone at a site (or in a group, where it has no site) of `placeOf` cameras or more is told by email and chat at once, and by SMS with the first message after `smsAfterMinutes` without an answer.',
  },
);
const Telling = Type.Object({ loneCamera: Type.Optional(LoneCamera) }, closed);

const link = Type.Optional(
  Type.String({ pattern: '^https?://[^\\s]+$', maxLength: 2048, examples: ['https://wiki.example.com/offline'] }),
);
const Runbooks = Type.Object(
  Object.fromEntries(alertCodes.map((code) => [code, link])) as Record<AlertCode, typeof link>,
  {
    ...closed,
    description: 'By alert code, where it is written what to do: the console links it beside an alert.',
  },
);

/** Settings for the whole fleet. */
export const Settings = Type.Object(
  {
    responseSeconds: Type.Object(
      Object.fromEntries(timedSeverities.map((severity) => [severity, responseSeconds])) as Record<
        (typeof timedSeverities)[number],
        typeof responseSeconds
      >,
      {
        ...closed,
        description: 'Time for an acknowledgement, after which an alert is escalated; INFO needs no action.',
      },
    ),
    escalationTeam: TeamName,
    escalation: Type.Optional(EscalationPolicy),
    channels: Type.Object(rows, { ...closed, description: 'The channels that notify of alerts by severity.' }),
    updates: Type.Optional(
      Type.Object(
        { acknowledged: UpdateChoice, resolved: UpdateChoice },
        {
          ...closed,
          description:
            'For each channel, the severities whose acknowledgement and end it also reports to those who were notified of the beginning.',
        },
      ),
    ),
    quietHours: Type.Optional(QuietHours),
    telling: Type.Optional(Telling),
    reporting: Type.Optional(Reporting),
    groupReporting: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' }), Reporting, {
        ...closed,
        maxProperties: 500,
        description: 'By device group, instead of `reporting`.',
      }),
    ),
    idPatterns: Type.Optional(
      Type.Array(IdPattern, {
        maxItems: 500,
        description: 'Group and site of a new device, by its id: the first matching pattern counts.',
      }),
    ),
    limits: Type.Optional(
      Type.Array(DeviceLimits, {
        maxItems: 100,
        description:
          'Limits of alerts for groups or models in place of those of the alert catalogue: each from the first entry that is about the device and has it.',
      }),
    ),
    runbooks: Type.Optional(Runbooks),
    timeZone: TimeZone,
    businessHours: Periods,
    // Closed, because otherwise a name that does not match the pattern could have any value.
    schedules: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }), Schedule, {
      ...closed,
      maxProperties: 50,
    }),
  },
  closed,
);
export type Settings = Static<typeof Settings>;
