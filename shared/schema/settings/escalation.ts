import Type, { type Static } from 'typebox';
import { peopleChannels } from '../channels.ts';
import { closed, OneOf } from '../common.ts';
import { TeamName } from './rule.ts';

/** The id of a person within a team. */
export const PersonId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', examples: ['anna'] });

/** The longest gap between two steps of an escalation that nobody has acknowledged, minutes. */
export const mostSilentMinutes = 240;

/** One step of an escalation: whom it notifies, and when. */
export const EscalationStep = Type.Object(
  {
    afterMinutes: Type.Integer({
      minimum: 0,
      maximum: 24 * 60,
      description:
        'Minutes after the escalation, which happens when the response time has passed. The first step is at 0.',
    }),
    team: Type.Optional(TeamName),
    personId: Type.Optional(Type.String({ ...PersonId, description: "One of the people of the policy's own team." })),
    onCall: Type.Optional(
      Type.Literal(true, {
        description:
          "Whoever is on call then in the policy's own team; in the settings: in the team that was already notified.",
      }),
    ),
    escalationTeam: Type.Optional(
      Type.Literal(true, {
        description: '`escalationTeam` of the settings; if that was already notified, another team, if there is one.',
      }),
    ),
    channels: Type.Optional(
      Type.Array(OneOf(peopleChannels), {
        minItems: 1,
        uniqueItems: true,
        description: 'Added to email and the channels of the alert.',
      }),
    ),
  },
  { ...closed, description: 'Exactly one member names the receiver.' },
);
export type EscalationStep = Static<typeof EscalationStep>;

/** Who is notified next while nobody answers. */
export const EscalationPolicy = Type.Object(
  {
    steps: Type.Array(EscalationStep, { minItems: 1, maxItems: 10 }),
    repeatMinutes: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: mostSilentMinutes,
        default: 30,
        description:
          'The last step is repeated at this interval, and after four hours every four hours, until somebody acknowledges.',
      }),
    ),
  },
  closed,
);
export type EscalationPolicy = Static<typeof EscalationPolicy>;
