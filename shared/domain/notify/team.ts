import type { Channel, ChatKind } from '../../schema/vocabulary.ts';
import type { Target } from '../delivery/delivery.ts';
import type { Sealed } from '../delivery/webhook.ts';
import type { Instant } from '../time.ts';

/** A team and its contacts. The address of a chat is a capability, since whoever has it can post there: it is sealed, and what may be shown stands beside it. */
export type TeamRecord = {
  name: string;
  emails: string[];
  chats: { chatId: string; kind: ChatKind; sealedUrl: Sealed; shownUrl: string }[];
  phones: string[];
  changedAt: Instant | null;
  version: number;
};

export function emptyTeam(name: string): TeamRecord {
  return { name, emails: [], chats: [], phones: [], changedAt: null, version: 0 };
}

/** A contact of a team on one channel, and what it is called where addresses must not be shown. */
export type Contact = {
  channel: Exclude<Channel, 'webhook'>;
  target: Exclude<Target, { kind: 'webhook' | 'heartbeat' }>;
  name: string;
  chatKind: ChatKind | null;
};

export function contactsOf(team: TeamRecord): Contact[] {
  return [
    ...team.emails.map(
      (address): Contact => ({
        channel: 'email',
        target: { kind: 'email', team: team.name, address },
        name: address,
        chatKind: null,
      }),
    ),
    ...team.chats.map(
      ({ chatId, kind }): Contact => ({
        channel: 'chat',
        target: { kind: 'chat', team: team.name, chatId },
        name: `${kind} ${chatId}`,
        chatKind: kind,
      }),
    ),
    ...team.phones.map(
      (phone): Contact => ({
        channel: 'sms',
        target: { kind: 'sms', team: team.name, phone },
        name: phone,
        chatKind: null,
      }),
    ),
  ];
}

/** What tells one receiver from another: the address itself, whichever teams have it. */
export function contactKey({ target }: Pick<Contact, 'target'>): string {
  switch (target.kind) {
    case 'email':
      return `email ${target.address.toLowerCase()}`;
    case 'chat':
      return `chat ${target.team} ${target.chatId}`;
    case 'sms':
      return `sms ${target.phone}`;
    default:
      return target satisfies never;
  }
}

/** The address of a chat as it may be shown: where it leads, and no more of it than tells two apart. */
export function maskedChatUrl(url: string): string {
  return `${new URL(url).origin}/…${url.slice(-4)}`;
}
