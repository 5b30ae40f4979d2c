import { type AddressChannel, addressChannels } from '../../../../shared/schema/channels.ts';
import type { EscalationStep } from '../../../../shared/schema/settings/escalation.ts';
import type { Rotation } from '../../../../shared/schema/settings/on-call.ts';
import type { QuietHours } from '../../../../shared/schema/settings/settings.ts';
import type { Team, TeamContacts } from '../../../../shared/schema/settings/team.ts';
import { type ChatKind, channelTable, chatKinds } from '../../../../shared/schema/vocabulary.ts';

/** How a contact is reached: by a channel of plain addresses, or by a kind of chat. */
export type ContactKind = (typeof contactKinds)[number];
export const contactKinds = [...addressChannels, ...chatKinds];
const addressTitles = Object.fromEntries(
  addressChannels.map((channel) => [channel, channelTable[channel].title]),
) as Record<AddressChannel, string>;
export const contactNames: Record<ContactKind, string> = {
  ...addressTitles,
  slack: 'Slack',
  'google-chat': 'Google Chat',
  teams: 'Microsoft Teams',
};

/** A team as a form shows it: rows in place of lists by channel. People are named by a key, which the person's id is made from at the end. */
export type TeamDraft = {
  name: string;
  contacts: { kind: ContactKind; value: string; chatId?: string }[];
  people: { key: string; name: string; email: string; phone: string }[];
  rotations: Rotation[];
  steps: StepDraft[];
  repeatMinutes: string;
  quiet: { schedule: string; hold: QuietHours['hold'] };
};
export type StepDraft = { afterMinutes: string; who: string; channels: NonNullable<EscalationStep['channels']> };

const usualRepeat = 30;

export function draftOf(team: Team): TeamDraft {
  const { name, chats, people = [], rotations = [], escalation, quietHours } = team;
  const addresses = addressChannels.flatMap((kind) =>
    team[channelTable[kind].contacts.member].map((value) => ({ kind, value })),
  );
  return {
    name,
    // A new team begins with a row to fill in.
    contacts: name
      ? [...addresses, ...chats.map(({ kind, url, chatId }) => ({ kind, value: url, chatId }))]
      : [{ kind: 'email', value: '' }],
    people: people.map(({ personId, name, email = '', phone = '' }) => ({ key: personId, name, email, phone })),
    rotations: [...rotations],
    steps: (escalation?.steps ?? []).map((step) => ({
      afterMinutes: String(step.afterMinutes),
      who: receiverOf(step),
      channels: step.channels ?? [],
    })),
    repeatMinutes: String(escalation?.repeatMinutes ?? usualRepeat),
    quiet: { schedule: quietHours?.schedule ?? '', hold: quietHours?.hold ?? [] },
  };
}

/** The kind of a contact whose address begins so. Null: any. */
export function kindOf(value: string): ContactKind | null {
  const text = value.trim();
  if (/^\+?[0-9 ().-]{3,}$/.test(text)) return 'sms';
  if (/^[^\s/]+@/.test(text)) return 'email';
  const [, host = ''] = /^https:\/\/([^/]+)\//.exec(text) ?? [];
  if (host === 'hooks.slack.com') return 'slack';
  return host === 'chat.googleapis.com' ? 'google-chat' : null;
}

/** Who a step notifies, as a choice of a form. */
function receiverOf({ team, personId, onCall }: EscalationStep): string {
  if (team) return `team ${team}`;
  if (personId) return `person ${personId}`;
  return onCall ? 'on-call' : 'escalation-team';
}

/** The team as a request contains it. Rows without a value are left out; hand-offs are absent, and stay as they are. */
export function bodyOf(draft: TeamDraft): TeamContacts {
  const ids = idsOf(draft.people);
  const idOf = (key: string) => ids.get(key) ?? key;
  const steps = draft.steps.map(({ afterMinutes, who, channels }) => ({
    afterMinutes: Number(afterMinutes),
    ...targetOf(who, idOf),
    ...(channels.length > 0 ? { channels } : {}),
  }));
  const { schedule, hold } = draft.quiet;
  return {
    ...Object.fromEntries(
      addressChannels.map((kind) => [
        channelTable[kind].contacts.member,
        [...new Set(filled(draft, kind).map(({ value }) => addressOf(kind, value)))],
      ]),
    ),
    chats: chatKinds.flatMap((kind) =>
      filled(draft, kind).map(({ value, chatId }) => ({ ...(chatId ? { chatId } : {}), kind, url: value.trim() })),
    ),
    people: draft.people.map(({ key, name, email, phone }) => ({
      personId: idOf(key),
      name: name.trim(),
      ...(email.trim() ? { email: email.trim() } : {}),
      ...(phone.trim() ? { phone: addressOf('sms', phone) } : {}),
    })),
    rotations: draft.rotations.map((rotation) => ({ ...rotation, people: rotation.people.map(idOf) })),
    ...(steps.length > 0 ? { escalation: { steps, repeatMinutes: Number(draft.repeatMinutes) } } : {}),
    ...(schedule ? { quietHours: { schedule, hold } } : {}),
  };
}

/** Where a request has the contact of a row, as a JSON Pointer. Null: it has no value. */
export function pointerOf(draft: TeamDraft, index: number): string | null {
  const { kind, value } = draft.contacts[index] ?? { kind: 'email', value: '' };
  if (!value.trim()) return null;
  const isChat = (each: ContactKind): each is ChatKind => chatKinds.some((chat) => chat === each);
  const before = draft.contacts.slice(0, index).filter(({ value }) => value.trim());
  if (!isChat(kind)) {
    return `/${channelTable[kind].contacts.member}/${before.filter((each) => each.kind === kind).length}`;
  }
  const chats = [...draft.contacts.keys()].filter((at) => isChat(draft.contacts[at]?.kind ?? 'email'));
  const inOrder = chatKinds.flatMap((chat) => chats.filter((at) => draft.contacts[at]?.kind === chat));
  return `/chats/${inOrder.indexOf(index)}`;
}

function filled({ contacts }: TeamDraft, kind: ContactKind) {
  return contacts.filter((contact) => contact.kind === kind && contact.value.trim());
}

/** People write telephone numbers with spaces, dashes and parentheses. */
function addressOf(kind: ContactKind, value: string): string {
  return kind === 'sms' ? value.replaceAll(/[\s().-]/g, '') : value.trim();
}

function targetOf(who: string, idOf: (key: string) => string): Omit<EscalationStep, 'afterMinutes' | 'channels'> {
  const [, kind, name = ''] = /^(team|person) (.+)$/.exec(who) ?? [];
  if (kind === 'team') return { team: name };
  if (kind === 'person') return { personId: idOf(name) };
  return who === 'on-call' ? { onCall: true } : { escalationTeam: true };
}

const newKey = 'new:';
/** The key of a person who has no id yet. */
export const keyOfNew = (people: TeamDraft['people']): string => `${newKey}${people.length}:${Date.now()}`;

/** The ids of new people, by key: made from their names, and each once. */
function idsOf(people: TeamDraft['people']): Map<string, string> {
  const ids = new Map(people.flatMap(({ key }) => (key.startsWith(newKey) ? [] : [[key, key]])));
  for (const { key, name } of people) {
    if (ids.has(key)) continue;
    const plain = name
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^A-Za-z0-9]+/g, '-');
    const base = plain.replaceAll(/^-|-$/g, '').toLowerCase().slice(0, 48) || 'person';
    const taken = new Set(ids.values());
    const free = [base, ...people.map((_, index) => `${base}-${index + 2}`)].find((id) => !taken.has(id));
    ids.set(key, free ?? base);
  }
  return ids;
}
