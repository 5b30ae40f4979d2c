import type { Schemas } from '../../../../sdk/typescript/src/index.ts';
import { byAddressMember } from '../../../../shared/schema/channels.ts';
import { type HandoffKind, handoffTable } from '../../../../shared/schema/settings/handoff-kinds.ts';
import { credentialOf, hidden, isHidden, mustBeReference, referenceTo } from '../credential.ts';
import { isFromEnvironment } from '../document.ts';
import { merged } from '../merge.ts';
import { filterReferences } from './filter.ts';
import { type Existing, type Fault, type Kind, missingSecret, type Path, type Secrets, type Shown } from './kind.ts';
import { faultsWithin, stepReferences } from './policy.ts';

/** `url`: a reference of the file, or the masked address that the service shows. */
type Chat = { chatId?: string; kind: string; url: unknown };
type KnownChat = { chatId: string; kind: string; url: string };
type Handoff = {
  handoffId?: string;
  kind: HandoffKind;
  name: string;
  settings?: { url?: string };
  credential?: unknown;
  filter?: unknown;
};

function existingOf({ changedAt: _, handoffs, ...team }: Schemas['Team']): Existing {
  const shown = handoffs.map(({ hasCredential, credentialVersion, ...handoff }) => ({
    ...handoff,
    ...(hasCredential ? { credential: hidden(credentialVersion) } : {}),
  }));
  return { id: team.name, key: team.name, shown: { ...team, handoffs: shown } };
}

function listIn<Item>(item: Shown, member: string): Item[] {
  return Array.isArray(item[member]) ? (item[member] as Item[]) : [];
}
const chatsIn = (item: Shown) => listIn<Chat>(item, 'chats');
const handoffsIn = (item: Shown) => listIn<Handoff>(item, 'handoffs');

/** The part of a chat's address that the service shows. */
function masked(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/…${url.slice(-4)}` : url;
}

/** A known chat keeps its address, unless the environment contains another. */
function chatOf(chat: Chat, known: readonly KnownChat[], secrets: Secrets, path: Path) {
  if (!isFromEnvironment(chat.url)) return { shown: { kind: chat.kind, url: chat.url }, body: () => chat };
  const { env } = chat.url;
  const url = secrets(env);
  const same = known.find(({ chatId, kind, url: shown }) =>
    chat.chatId === undefined
      ? url !== undefined && kind === chat.kind && shown === masked(url)
      : chatId === chat.chatId,
  );
  if (same && (url === undefined || masked(url) === same.url)) {
    const kept = { chatId: same.chatId, kind: chat.kind, url: same.url };
    return { shown: { kind: chat.kind, url: same.url }, body: () => kept };
  }
  const id = chat.chatId === undefined ? {} : { chatId: chat.chatId };
  return {
    shown: { kind: chat.kind, url: url === undefined ? `{env: ${env}}` : masked(url) },
    body() {
      if (url === undefined) throw missingSecret(env, path);
      return { ...id, kind: chat.kind, url };
    },
  };
}

function knownHandoff({ handoffId, kind, name }: Handoff, known: readonly Handoff[]): Handoff | undefined {
  return known.find((each) =>
    handoffId === undefined ? each.kind === kind && each.name === name : each.handoffId === handoffId,
  );
}

/** The service keeps a credential only for the same kind and origin. */
function isSameReceiver(a: Handoff, b: Handoff): boolean {
  const originOf = ({ kind, settings }: Handoff) => {
    const url = settings?.url ?? handoffTable[kind]?.url ?? '';
    return URL.canParse(url) ? new URL(url).origin : url;
  };
  return a.kind === b.kind && originOf(a) === originOf(b);
}

function handoffOf(handoff: Handoff, known: readonly Handoff[], secrets: Secrets, path: Path) {
  const { handoffId: _, credential, ...rest } = handoff;
  const same = knownHandoff(handoff, known);
  const kept = same && isSameReceiver(handoff, same) ? same.credential : null;
  const { shown, sent } = credentialOf(credential, kept, secrets, path);
  return {
    shown: { ...rest, ...(shown ? { credential: shown } : {}) },
    body() {
      const { text, version } = sent() ?? {};
      return {
        ...(same ? { handoffId: same.handoffId } : {}),
        ...rest,
        ...(text === undefined ? {} : { credential: text }),
        ...(version === undefined ? {} : { credentialVersion: version }),
      };
    },
  };
}

/** The record without the ids that the service assigns. */
function comparable(team: Shown): Shown {
  const chats = chatsIn(team).map(({ kind, url }) => ({ kind, url }));
  const handoffs = handoffsIn(team).map(({ handoffId: _, ...handoff }) => handoff);
  return { ...team, chats, handoffs };
}

const bodyOf = (body: object) => body as Schemas['TeamContacts'];
const variableOf = (...words: string[]) =>
  words
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_');

export const teams: Kind = {
  section: 'teams',
  key: 'name',
  schema: 'putTeamBody',
  removable: [
    ...Object.keys(byAddressMember(() => null)),
    ...['chats', 'handoffs', 'people', 'rotations', 'escalation', 'quietHours'],
  ],
  faultsOf(item) {
    const chats = chatsIn(item).flatMap(({ url }, at): Fault[] =>
      isFromEnvironment(url) ? [] : [{ path: ['chats', at, 'url'], detail: mustBeReference }],
    );
    const handoffs = handoffsIn(item).flatMap(({ credential = null }, at): Fault[] =>
      credential === null || isFromEnvironment(credential)
        ? []
        : [{ path: ['handoffs', at, 'credential'], detail: mustBeReference }],
    );
    return [...chats, ...handoffs];
  },
  over(base, item) {
    const known = handoffsIn(base);
    const handoffs = handoffsIn(item).map((each) =>
      merged((knownHandoff(each, known) as Shown) ?? {}, each as Shown, ['filter']),
    );
    return { ...merged(base, item), ...(Array.isArray(item['handoffs']) ? { handoffs } : {}) };
  },
  faultsWithin,
  checkable({ name: _, ...whole }) {
    const chats = chatsIn(whole).map((chat) => ({ ...chat, url: 'https://secret.invalid' }));
    const handoffs = handoffsIn(whole).map((handoff) => ({
      ...handoff,
      ...(handoff.credential === undefined ? {} : { credential: 'x' }),
    }));
    return {
      ...whole,
      ...(Array.isArray(whole['chats']) ? { chats } : {}),
      ...(Array.isArray(whole['handoffs']) ? { handoffs } : {}),
    };
  },
  list: async (client) => (await client.call('listTeams')).data.teams.map(existingOf),
  async get(client, name) {
    const { data, etag } = await client.call('getTeam', { params: { name } });
    return { existing: existingOf(data), etag };
  },
  exported({ key, shown }) {
    const chats = (shown['chats'] as KnownChat[]).map(({ chatId, kind }, at) => ({
      chatId,
      kind,
      url: { env: variableOf('CHAT', key, String(at + 1)) },
    }));
    const all = handoffsIn(shown);
    const handoffs = all.map(({ handoffId, credential, ...handoff }) => ({
      ...(all.filter(({ kind, name }) => kind === handoff.kind && name === handoff.name).length > 1
        ? { handoffId }
        : {}),
      ...handoff,
      ...(isHidden(credential)
        ? { credential: referenceTo(credential, variableOf('HANDOFF', key, handoff.kind, handoff.name)) }
        : {}),
    }));
    return { ...shown, chats, handoffs };
  },
  wanted({ name, ...whole }, existing, secrets) {
    const before = existing?.shown ?? {};
    const chats = chatsIn(whole).map((chat, at) =>
      chatOf(chat, chatsIn(before) as KnownChat[], secrets, ['chats', at, 'url']),
    );
    const handoffs = handoffsIn(whole).map((each, at) =>
      handoffOf(each, handoffsIn(before), secrets, ['handoffs', at, 'credential']),
    );
    return {
      before: comparable(before),
      shown: {
        name,
        ...whole,
        chats: chats.map(({ shown }) => shown),
        handoffs: handoffs.map(({ shown }) => shown),
      },
      body: () => ({
        ...whole,
        chats: chats.map(({ body }) => body()),
        handoffs: handoffs.map(({ body }) => body()),
      }),
    };
  },
  async create(client, { name }, body) {
    // Version 0 is that of a team which nobody has written: one that somebody else has created meanwhile is not overwritten.
    const given = { params: { name: String(name) }, body: bodyOf(body), ifMatch: '"0"' };
    return { id: String(name), etag: (await client.call('putTeam', given)).etag };
  },
  async change(client, name, body, ifMatch) {
    return {
      id: name,
      etag: (await client.call('putTeam', { params: { name }, body: bodyOf(body), ...ifMatch })).etag,
    };
  },
  remove: (client, name, ifMatch) => client.call('deleteTeam', { params: { name }, ...ifMatch }),
  references({ escalation, quietHours, ...item }) {
    const { schedule } = (quietHours ?? {}) as { schedule?: string };
    const when = { to: 'schedule', name: schedule ?? '', path: ['quietHours', 'schedule'] } as const;
    const chosen = handoffsIn(item).flatMap(({ filter }, at) => filterReferences(filter, ['handoffs', at, 'filter']));
    return [...stepReferences(escalation), ...(schedule === undefined ? [] : [when]), ...chosen];
  },
  namesTeams: ['escalation'],
  isPermanent: ({ key }) => key === 'operations',
};
