import Type, { type Static } from 'typebox';
import { byAddressMember } from '../channels.ts';
import { Channel, closed, DeliveryChannel, Line, OneOf, Timestamp, Uuid } from '../common.ts';
import { channelTable, chatKinds } from '../vocabulary.ts';
import { EscalationPolicy } from './escalation.ts';
import { Handoff, HandoffDrafts } from './handoff.ts';
import { Person, Rotation } from './on-call.ts';
import { TeamName } from './rule.ts';
import { QuietHours } from './settings.ts';

export const ChatKind = OneOf(chatKinds);

/** The lists of plain addresses, by the member of the team. */
const addressLists = byAddressMember((channel) => {
  const { maxLength, pattern, examples } = channelTable[channel].contacts;
  const address = Type.String({ maxLength, pattern, examples: [...examples] });
  return Type.Optional(Type.Array(address, { maxItems: 20, uniqueItems: true }));
});
/** Members of a team that decide who is on call, who is notified next, and when the team is not disturbed. */
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
    ...addressLists,
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
    handoffs: Type.Optional(HandoffDrafts),
    people: Type.Optional(Type.Array(Person, { maxItems: 50 })),
    ...duty,
  },
  closed,
);
export type TeamContacts = Static<typeof TeamContacts>;

export const Team = Type.Object(
  {
    name: TeamName,
    ...byAddressMember((channel) =>
      Type.Array(Type.String({ examples: [...channelTable[channel].contacts.examples] })),
    ),
    chats: Type.Array(Type.Object({ chatId: Type.String(), kind: ChatKind, url: Type.String() }, closed)),
    handoffs: Type.Array(Handoff),
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
    handoffId: Type.Optional(
      Type.String({
        ...Uuid,
        description: 'Tests only this hand-off, and no contact: a trigger, and ten seconds later its resolution.',
      }),
    ),
    text: Type.Optional(Line(500)),
  },
  closed,
);
export type TeamTestRequest = Static<typeof TeamTestRequest>;

/** The deliveries of a test. Their progress is in the list of deliveries. */
export const TeamTestResult = Type.Object(
  {
    deliveries: Type.Array(
      Type.Object({ deliveryId: Type.String(), channel: DeliveryChannel, target: Type.String() }, closed),
    ),
  },
  closed,
);
