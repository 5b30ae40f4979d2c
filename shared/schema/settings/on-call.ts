import Type, { type Static } from 'typebox';
import { closed, Line, Nullable, Timestamp } from '../common.ts';
import { daysOfTurns } from '../vocabulary.ts';
import { PersonId } from './escalation.ts';
import { TeamName } from './rule.ts';
import { TimeZone, Weekday } from './settings.ts';

export const Email = Type.String({
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,189}$",
});
export const Phone = Type.String({
  pattern: '^\\+[1-9][0-9]{6,14}$',
  description: 'E.164.',
  examples: ['+46701234567'],
});

/** A member of a team who can be notified individually: by a step that names them, or while they are on call. */
export const Person = Type.Object(
  { personId: PersonId, name: Line(64), email: Type.Optional(Email), phone: Type.Optional(Phone) },
  { ...closed, description: 'Has an email address, a phone or both.' },
);
export type Person = Static<typeof Person>;

export const Handover = Type.Object(
  {
    weekday: Weekday,
    time: Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['08:30'] }),
  },
  closed,
);

export const Override = Type.Object(
  { personId: PersonId, from: Timestamp, to: Timestamp },
  {
    ...closed,
    description:
      'From `from` until just before `to` this person is on call. If two overlap, the later one in the list counts.',
  },
);

/** Who is on call, a week each, in the order of `people`. */
export const Rotation = Type.Object(
  {
    people: Type.Array(PersonId, { minItems: 1, maxItems: 50 }),
    handover: Handover,
    timeZone: TimeZone,
    startsAt: Type.Optional(
      Type.String({
        ...Timestamp,
        description:
          'The first of `people` is on call in the week of this instant, and nobody before it. Without it weeks are counted from 5 January 1970.',
      }),
    ),
    overrides: Type.Optional(Type.Array(Override, { maxItems: 100 })),
  },
  closed,
);
export type Rotation = Static<typeof Rotation>;

export const OnCallTurn = Type.Object(
  {
    personId: PersonId,
    name: Type.String(),
    from: Nullable(Timestamp),
    to: Nullable(Timestamp),
  },
  { ...closed, description: 'If `from` or `to` is null, nobody else is on call before or after.' },
);

/** Who is on call in a team at an instant, and who follows, for each rotation. */
export const OnCall = Type.Object(
  {
    team: TeamName,
    at: Timestamp,
    rotations: Type.Array(
      Type.Object(
        {
          now: Nullable(OnCallTurn),
          next: Nullable(OnCallTurn),
          turns: Type.Array(OnCallTurn, {
            description: `All turns of the next ${daysOfTurns} days, in order. Between them, nobody is on call.`,
          }),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type OnCall = Static<typeof OnCall>;

export const OnCallQuery = Type.Object({ at: Type.Optional(Timestamp) }, closed);
