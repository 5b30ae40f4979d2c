import Type, { type Static } from 'typebox';
import { closed, DeviceId, Line } from '../common.ts';

/** A person, by the texts that records name him with. */
export const ErasedPerson = Type.Object(
  {
    subject: Type.Optional({ ...Line(512), description: 'As the audit stream writes it: `user:<sub>`.' }),
    emails: Type.Optional(Type.Array(Line(254), { maxItems: 10, examples: [['anna@example.com']] })),
    phones: Type.Optional(Type.Array(Line(32), { maxItems: 10, examples: [['+46701234567']] })),
  },
  closed,
);

/** One device, or one person. */
export const ErasureRequest = Type.Object(
  { deviceId: Type.Optional(DeviceId), person: Type.Optional(ErasedPerson) },
  closed,
);
export type ErasureRequest = Static<typeof ErasureRequest>;
