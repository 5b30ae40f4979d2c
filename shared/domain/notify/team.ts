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
import type { Life } from '../alert/alert.ts';
import type { Target } from '../delivery/delivery.ts';
import type { HandoffRecord } from '../delivery/handoff.ts';
import type { Sealed } from '../delivery/webhook.ts';
import { operationsTeam } from '../settings/settings.ts';
import type { Instant } from '../time.ts';

/** A team and its contacts. Whoever has the address of a chat can post there, so it is sealed, and a masked form is stored beside it. */
export type TeamRecord = Addresses & {
  name: string;
  chats: { chatId: string; kind: ChatKind; sealedUrl: Sealed; shownUrl: string }[];
  handoffs: HandoffRecord[];
  /** People who can be notified individually: by a step that names them, or while they are on call. */
  people?: Person[];
  rotations?: Rotation[];
  /** The escalation policy. Absent: the settings decide. */
  escalation?: EscalationPolicy;
  /** Absent: the quiet hours of the settings apply. */
  quietHours?: QuietHours;
  changedAt: Instant | null;
  version: number;
};
/** Plain addresses, by the member of the team. */
type Addresses = Record<AddressMember, string[]>;

export function emptyTeam(name: string): TeamRecord {
  return { name, ...byAddressMember(() => []), chats: [], handoffs: [], changedAt: null, version: 0 };
}

/** A contact of a team on one channel, with a display name for places where addresses must not be shown. */
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

/** The contacts of a team's people: all of them, or those with these ids, in that order. */
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

/** The identity of a receiver: an address, whichever teams contain it, or a chat of one team. */
export function contactKey({ target }: Pick<Contact, 'target'>): string {
  if (target.kind === 'chat') return `chat ${target.team} ${target.chatId}`;
  const { isCaseless } = channelTable[target.kind].contacts;
  return `${target.kind} ${isCaseless ? target.address.toLowerCase() : target.address}`;
}

/** The masked address of a chat: its host and just enough to distinguish two chats. */
export function maskedChatUrl(url: string): string {
  return `${new URL(url).origin}/…${url.slice(-4)}`;
}

export type Teams = ReadonlyMap<string, TeamRecord>;

/** The contacts of a team by its name: its own contacts, or those of its people if it has none. Empty if the team does not exist. */
export function contactsOfTeam(teams: Teams, name: string): Contact[] {
  const team = teams.get(name);
  if (!team) return [];
  const own = contactsOf(team);
  return unique(own.length > 0 ? own : contactsOfPeople(team));
}

/** All contacts of a team: its own and those of its people. */
export function everybodyIn(team: TeamRecord): Contact[] {
  return unique([...contactsOf(team), ...contactsOfPeople(team)]);
}

/** The team that is notified of the opening. A team without contacts is replaced by `operations`, because the wrong people are better than nobody. */
export function openingTeam({ notifiedTeam }: Pick<Life, 'notifiedTeam'>, teams: Teams): string {
  return notifiedTeam && contactsOfTeam(teams, notifiedTeam).length > 0 ? notifiedTeam : operationsTeam;
}

/** The teams that are notified of the opening: of an incident, one for each of its groups. */
export function openingTeams(
  { notifiedTeam, groupTeams = [] }: Pick<Life, 'notifiedTeam'> & { groupTeams?: readonly string[] },
  teams: Teams,
): string[] {
  const named = groupTeams.length > 0 ? groupTeams : [notifiedTeam];
  return [...new Set(named.map((team) => openingTeam({ notifiedTeam: team }, teams)))];
}

/** Why a team cannot be notified. */
export function unreachable(teams: Teams, name: string): string {
  return teams.has(name) ? `The team ${name} has no contacts` : `There is no team ${name}`;
}

/** Each receiver once, even if several teams or entries contain it. */
export function unique(contacts: readonly Contact[]): Contact[] {
  return [...new Map(contacts.toReversed().map((contact) => [contactKey(contact), contact])).values()].toReversed();
}

const mail = /(?<![^\s<>@"'(),;:])[^\s<>@"'(),;:]{1,320}@[^\s<>@"'(),;:]{1,320}/g;
const phone = /\+\d{6,15}/g;

/** Masks the contacts in a text: of each, only enough to distinguish it from the others of a team. */
export function withoutContacts(text: string): string {
  return text
    .replaceAll(mail, (address) => `${[...address][0]}…@${address.slice(address.indexOf('@') + 1)}`)
    .replaceAll(phone, (number) => `${number.slice(0, 3)}…${number.slice(-2)}`);
}
