import Type, { type Static } from 'typebox';
import { Channel, closed, Line, OneOf, Timestamp } from '../common.ts';
import { byAddressMember, channelTable, chatKinds } from '../vocabulary.ts';
import { TeamName } from './rule.ts';

export const ChatKind = OneOf(chatKinds);

/** The lists of plain addresses, by the member of the team. */
const addressLists = byAddressMember((channel) => {
  const { maxLength, pattern, description, examples } = channelTable[channel].contacts;
  const said = description === null ? {} : { description };
  const address = Type.String({ maxLength, pattern, ...said, examples: [...examples] });
  return Type.Optional(Type.Array(address, { maxItems: 20, uniqueItems: true }));
});

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
  },
  closed,
);
export type TeamContacts = Static<typeof TeamContacts>;

export const Team = Type.Object(
  {
    name: TeamName,
    ...byAddressMember(() => Type.Array(Type.String())),
    chats: Type.Array(Type.Object({ chatId: Type.String(), kind: ChatKind, url: Type.String() }, closed)),
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
