import Type, { type Static } from 'typebox';
import { Line, OneOf } from '../common.ts';
import { guardianStatuses } from '../vocabulary.ts';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * What a guardian publishes under its own identity. The content is carried as text, so that exactly the signed bytes are read. The
 * signature may be any text here: the verification decides whether it is valid.
 */
export const GuardianEnvelope = Type.Object({
  v: Type.Literal(1),
  epoch: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'New for each journal of the guardian.',
  }),
  seq: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Increases with each message of its kind and epoch. Alerts are numbered without a gap.',
  }),
  alert: Type.Optional(Type.String({ description: 'The guardian alert as JSON text.' })),
  health: Type.Optional(Type.String({ description: 'The health of the guardian as JSON text.' })),
  signature: Type.String({
    maxLength: 1024,
    description: 'Ed25519 in base64, over `watchpost-guardian/1`, device id, kind, epoch, seq and text, one per line.',
  }),
});
export type GuardianEnvelope = Static<typeof GuardianEnvelope>;

/** The state of a guardian. `reason` says in one line why it is not healthy. */
export const GuardianHealth = Type.Object({
  status: OneOf(guardianStatuses),
  goldenGeneration: Type.Union([Count, Type.Null()]),
  lastAlertSeq: Count,
  intervalSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
  healthIntervalSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
  reason: Type.Optional(Line(512)),
});
export type GuardianHealth = Static<typeof GuardianHealth>;

/** The public key of a guardian: Ed25519 as SPKI, which is 12 fixed bytes and the 32 bytes of the key. */
export const GuardianKey = Type.Object(
  {
    publicKey: Type.String({
      pattern: '^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$',
      description: 'Ed25519 public key: SPKI (DER) in base64.',
      examples: ['MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE='],
    }),
  },
  { additionalProperties: false },
);
export type GuardianKey = Static<typeof GuardianKey>;
