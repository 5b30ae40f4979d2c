import {
  type AddressChannel,
  type AddressMember,
  byAddressMember,
  type PeopleChannel,
  peopleChannels,
} from '../../schema/channels.ts';
import type { EscalationPolicy } from '../../schema/settings/escalation.ts';
import type { Person, Rotation } from '../../schema/settings/on-call.ts';
import type { QuietHours } from '../../schema/settings/settings.ts';
import { type ChatKind, channelTable } from '../../schema/vocabulary.ts';
import type { Target } from '../delivery/delivery.ts';
import type { HandoffRecord } from '../delivery/handoff.ts';
import type { Sealed } from '../delivery/webhook.ts';
import type { Instant } from '../time.ts';

/** A team and its contacts. The address of a chat is a capability, since whoever has it can post there: it is sealed, and what may be shown stands beside it. */
export type TeamRecord = Addresses & {
  name: string;
  chats: { chatId: string; kind: ChatKind; sealedUrl: Sealed; shownUrl: string }[];
  /** Absent in records that are older than hand-offs. */
  handoffs?: HandoffRecord[];
  /** Who can be notified alone: by a step that names them, or while they are on call. */
  people?: Person[];
  rotations?: Rotation[];
  /** Who is notified next while nobody answers. Absent: the settings say. */
  escalation?: EscalationPolicy;
  /** Absent: those of the settings. */
  quietHours?: QuietHours;
  changedAt: Instant | null;
  version: number;
};
/** Plain addresses, by the member of the team. A record that is older than a channel has none of it. */
type Addresses = Partial<Record<AddressMember, string[]>>;

export function emptyTeam(name: string): TeamRecord {
  return { name, ...byAddressMember(() => []), chats: [], changedAt: null, version: 0 };
}

/** A contact of a team on one channel, and what it is called where addresses must not be shown. */
export type Contact = {
  channel: PeopleChannel;
  target: Exclude<Target, { kind: 'webhook' | 'heartbeat' | 'handoff' }>;
  name: string;
  chatKind: ChatKind | null;
};

export function contactsOf(team: TeamRecord): Contact[] {
  return peopleChannels.flatMap((channel) => (channel === 'chat' ? chatsOf(team) : addressesOf(team, channel)));
}

function chatsOf({ name: team, chats }: TeamRecord): Contact[] {
  return chats.map(({ chatId, kind }) => ({
    channel: 'chat',
    target: { kind: 'chat', team, chatId },
    name: `${kind} ${chatId}`,
    chatKind: kind,
  }));
}

function addressesOf(team: TeamRecord, channel: AddressChannel): Contact[] {
  const addresses = team[channelTable[channel].contacts.member] ?? [];
  return addresses.map((address) => ({
    channel,
    target: { kind: channel, team: team.name, address },
    name: address,
    chatKind: null,
  }));
}

/** How people of a team are reached: all of them, or those with these ids in their order. */
export function contactsOfPeople({ name: team, people = [] }: TeamRecord, ids?: readonly string[]): Contact[] {
  const asked = ids?.flatMap((id) => people.find(({ personId }) => personId === id) ?? []) ?? people;
  return asked.flatMap(({ name, email, phone }): Contact[] => [
    ...(email === undefined ? [] : [contactOf('email', { kind: 'email', team, address: email }, `${name} ${email}`)]),
    ...(phone === undefined ? [] : [contactOf('sms', { kind: 'sms', team, address: phone }, `${name} ${phone}`)]),
  ]);
}

function contactOf(channel: Contact['channel'], target: Contact['target'], name: string): Contact {
  return { channel, target, name, chatKind: null };
}

/** What tells one receiver from another: the address itself, whichever teams have it. */
export function contactKey({ target }: Pick<Contact, 'target'>): string {
  if (target.kind === 'chat') return `chat ${target.team} ${target.chatId}`;
  const { isCaseless } = channelTable[target.kind].contacts;
  return `${target.kind} ${isCaseless ? target.address.toLowerCase() : target.address}`;
}

/** The address of a chat as it may be shown: where it leads, and no more of it than tells two apart. */
export function maskedChatUrl(url: string): string {
  return `${new URL(url).origin}/…${url.slice(-4)}`;
}
