import Type, { type Static } from 'typebox';
import { Severity } from '../alert/alert.ts';
import { closed, Line, OneOf, Uuid } from '../common.ts';
import { severities } from '../vocabulary.ts';
import { HandoffFilter } from './event-filter.ts';
import { handoffKinds } from './handoff-kinds.ts';

const Kind = OneOf(handoffKinds);

/** Where and how a hand-off is reached. Each kind uses some of these members (docs/handoff.md). */
export const HandoffSettings = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        pattern: '^[Hh][Tt][Tt][Pp][Ss]://',
        description: 'Default: the public address of the product, if it has one.',
        examples: ['https://events.eu.pagerduty.com/v2/enqueue'],
      }),
    ),
    user: Type.Optional(
      Type.String({ pattern: '^[\\x21-\\x39\\x3b-\\x7e]{1,128}$', description: 'For Basic.', examples: ['watchpost'] }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$' }), Line(256), {
        ...closed,
        maxProperties: 20,
        description: 'Labels for each alert.',
        examples: [{ environment: 'production' }],
      }),
    ),
    header: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9!#$%&*+.^_|~-]{1,64}$',
        description: 'The header with the credential. Default: `Authorization`.',
        examples: ['X-Api-Key'],
      }),
    ),
    template: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 8192,
        description: 'JSON whose texts may contain members of the event, such as `{{title}}`.',
        examples: ['{"id":"{{key}}","what":"{{action}}","text":"{{title}}"}'],
      }),
    ),
  },
  closed,
);
export type HandoffSettings = Static<typeof HandoffSettings>;

const members = {
  kind: Kind,
  name: Type.String({ ...Line(64), examples: ['Night desk'] }),
};
const Severities = Type.Array(Severity, {
  minItems: 1,
  maxItems: severities.length,
  uniqueItems: true,
  description: 'The severities that are sent. Default: CRITICAL, ERROR and WARNING.',
});

const Enabled = Type.Optional(
  Type.Boolean({
    description: 'false: nothing new is sent, but what is open there still ends. Default: true.',
  }),
);

/**
 * A hand-off as a person writes it. Its credential is never shown. A request without one keeps the stored one, if scheme, host and port of the
 * address stay the same.
 */
export const HandoffDraft = Type.Object(
  {
    handoffId: Type.Optional(Uuid),
    ...members,
    settings: Type.Optional(HandoffSettings),
    credential: Type.Optional(
      Type.String({
        pattern: '^[\\x20-\\x7e]{1,512}$',
        writeOnly: true,
        examples: ['0123456789abcdef0123456789abcdef'],
      }),
    ),
    credentialVersion: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'As its author counts; only together with the credential, to see later which one the service has.',
      }),
    ),
    severities: Type.Optional(Severities),
    filter: Type.Optional(HandoffFilter),
    enabled: Enabled,
  },
  closed,
);
export type HandoffDraft = Static<typeof HandoffDraft>;

/** A hand-off as it is shown. */
export const Handoff = Type.Object(
  {
    handoffId: Uuid,
    ...members,
    settings: HandoffSettings,
    hasCredential: Type.Boolean(),
    credentialVersion: Type.Optional(Type.Integer()),
    severities: Severities,
    filter: Type.Optional(HandoffFilter),
    enabled: Type.Boolean(),
  },
  closed,
);
export type Handoff = Static<typeof Handoff>;

/** The hand-offs of a team. */
export const HandoffDrafts = Type.Array(HandoffDraft, {
  maxItems: 10,
  description: 'Absent: the existing ones do not change.',
});
