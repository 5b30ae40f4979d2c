import Type, { type Static } from 'typebox';
import { closed, Nullable, OneOf, Timestamp } from '../common.ts';
import { scopes } from '../scopes.ts';

/** What the service reads in the caller's own token. */
export const Me = Type.Object(
  {
    subject: Type.String({ description: 'How the service names the caller in its records.' }),
    issuer: Type.String({ description: 'Who issued the token.' }),
    expiresAt: Timestamp,
    scopes: Type.Array(OneOf(scopes), { description: 'The scopes that the token grants.' }),
    groups: Nullable(
      Type.Array(Type.String(), {
        description:
          'The groups of devices that the caller sees. Null: every group. Empty: the token opens no other route.',
      }),
    ),
    missing: Type.Object(
      {
        scopes: Type.Array(OneOf(scopes), { description: 'The scopes that the token does not grant.' }),
        groups: Nullable(
          Type.String({ description: 'Why the token names no group, and what to do. Null: it names one.' }),
        ),
      },
      closed,
    ),
  },
  closed,
);
export type Me = Static<typeof Me>;
