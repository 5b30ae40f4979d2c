import Type, { type Static } from 'typebox';
import { closed, DeviceId, Line } from '../common.ts';

/** A person, identified by the texts that records contain: subject, addresses and names. */
export const ErasedPerson = Type.Object(
  {
    subject: Type.Optional({ ...Line(512), description: 'In the form of the audit stream: `user:<sub>`.' }),
    emails: Type.Optional(Type.Array(Line(254), { maxItems: 10, examples: [['anna@example.com']] })),
    phones: Type.Optional(Type.Array(Line(32), { maxItems: 10, examples: [['+46701234567']] })),
    names: Type.Optional(
      Type.Array(Type.String({ ...Line(64), minLength: 3 }), {
        maxItems: 10,
        examples: [['Anna Berg']],
        description:
          'Names of the person in notes and other texts. Each is replaced wherever it occurs, so use only names that nobody else has.',
      }),
    ),
  },
  closed,
);

/** Exactly one of the two: a device or a person. */
export const ErasureRequest = Type.Object(
  { deviceId: Type.Optional(DeviceId), person: Type.Optional(ErasedPerson) },
  { ...closed, examples: [{ deviceId: 'cam-0012' }] },
);
export type ErasureRequest = Static<typeof ErasureRequest>;
