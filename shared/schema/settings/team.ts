import Type, { type Static } from 'typebox';
import { Channel, closed, Line, OneOf, Timestamp } from '../common.ts';
import { chatKinds } from '../vocabulary.ts';
import { EscalationPolicy } from './escalation.ts';
import { Email, Person, Phone, Rotation } from './on-call.ts';
import { TeamName } from './rule.ts';
import { QuietHours } from './settings.ts';

export const ChatKind = OneOf(chatKinds);

/** What a team has beside its contacts. */
const duty = {
  rotations: Type.Optional(Type.Array(Rotation, { maxItems: 10 })),
  escalation: Type.Optional(EscalationPolicy),
  quietHours: Type.Optional(QuietHours),
};
const shownPerson = { ...Person.properties, email: Type.Optional(Type.String()), phone: Type.Optional(Type.String()) };

/**
 * The contacts of a team as a person writes them. The address of a chat is a secret: answers show it masked, and a request with the masked
 * address keeps the stored one.
 */
export const TeamContacts = Type.Object(
  {
    emails: Type.Optional(Type.Array(Email, { maxItems: 20, uniqueItems: true })),
    chats: Type.Optional(
      Type.Array(
        Type.Object(
          {
            chatId: Type.Optional(Type.String({ maxLength: 64 })),
            kind: ChatKind,
            url: Type.String({ minLength: 1, maxLength: 2048, pattern: '^[Hh][Tt][Tt][Pp][Ss]://' }),
          },
          closed,
        ),
        { maxItems: 10 },
      ),
    ),
    phones: Type.Optional(Type.Array(Phone, { maxItems: 20, uniqueItems: true })),
    people: Type.Optional(Type.Array(Person, { maxItems: 50 })),
    ...duty,
  },
  closed,
);
export type TeamContacts = Static<typeof TeamContacts>;

export const Team = Type.Object(
  {
    name: TeamName,
    emails: Type.Array(Type.String()),
    chats: Type.Array(Type.Object({ chatId: Type.String(), kind: ChatKind, url: Type.String() }, closed)),
    phones: Type.Array(Type.String()),
    people: Type.Optional(Type.Array(Type.Object(shownPerson, closed))),
    ...duty,
    changedAt: Type.Union([Timestamp, Type.Null()]),
  },
  closed,
);
export type Team = Static<typeof Team>;

export const TeamList = Type.Object({ teams: Type.Array(Team) }, closed);

export const TeamTestRequest = Type.Object(
  {
    channel: Type.Optional(Channel),
    text: Type.Optional(Line(500)),
  },
  closed,
);
export type TeamTestRequest = Static<typeof TeamTestRequest>;

/** The deliveries of a test. Their progress is in the list of deliveries. */
export const TeamTestResult = Type.Object(
  {
    deliveries: Type.Array(Type.Object({ deliveryId: Type.String(), channel: Channel, target: Type.String() }, closed)),
  },
  closed,
);
