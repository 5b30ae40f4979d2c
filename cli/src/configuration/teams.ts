import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { isFromEnvironment } from './document.ts';
import { type Existing, type Kind, MissingSecret, type Secrets, type Shown } from './kind.ts';

type Chat = { chatId?: string; kind: string; url: unknown };
type KnownChat = { chatId: string; kind: string; url: string };

const existingOf = ({ changedAt: _, handoffs: __, ...shown }: Schemas['Team']): Existing => ({
  id: shown.name,
  key: shown.name,
  shown,
});
const chatsIn = (item: Shown) => (Array.isArray(item['chats']) ? (item['chats'] as Chat[]) : []);
const bodyOf = (body: object) => body as Schemas['TeamContacts'];

/** The part of a chat's address that the service shows. */
function masked(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/…${url.slice(-4)}` : url;
}

/** A known chat keeps its address, unless the environment contains another. */
function chatOf(chat: Chat, known: readonly KnownChat[], secrets: Secrets, path: (string | number)[]) {
  const { env } = chat.url as { env: string };
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
      if (url === undefined) throw new MissingSecret(env, path);
      return { ...id, kind: chat.kind, url };
    },
  };
}

export const teams: Kind = {
  section: 'teams',
  key: 'name',
  schema: 'putTeamBody',
  checkable({ name: _, ...item }) {
    const wrong = chatsIn(item).flatMap(({ url }, at) => (isFromEnvironment(url) ? [] : [at]));
    const chats = chatsIn(item).map((chat) => ({ ...chat, url: 'https://secret.invalid' }));
    const detail = 'must be {env: NAME}: who has the address may post there, so it stands in the environment';
    return {
      body: Array.isArray(item['chats']) ? { ...item, chats } : item,
      faults: wrong.map((at) => ({ path: ['chats', at, 'url'], detail })),
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
      url: { env: `CHAT_${key.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_${at + 1}` },
    }));
    return { ...shown, chats };
  },
  wanted(item, existing, secrets) {
    const known = (existing?.shown['chats'] ?? []) as KnownChat[];
    const chats = chatsIn(item).map((chat, at) => chatOf(chat, known, secrets, ['chats', at, 'url']));
    const { name, chats: _, ...others } = item;
    const lists = Object.entries(existing?.shown ?? {}).filter(([, value]) => Array.isArray(value));
    const none = Object.fromEntries(lists.map(([member]) => [member, []]));
    return {
      shown: { emails: [], phones: [], ...none, ...others, name, chats: chats.map(({ shown }) => shown) },
      body: () => ({ ...others, chats: chats.map(({ body }) => body()) }),
    };
  },
  create: (client, { name }, body) => client.call('putTeam', { params: { name: String(name) }, body: bodyOf(body) }),
  change: (client, name, body, ifMatch) => client.call('putTeam', { params: { name }, body: bodyOf(body), ...ifMatch }),
  remove: (client, name, ifMatch) => client.call('deleteTeam', { params: { name }, ...ifMatch }),
  // The service must know each team that a policy names.
  needs: ({ escalation }) =>
    ((escalation as Schemas['TeamContacts']['escalation'])?.steps ?? []).flatMap(({ team }) => team ?? []),
  isKept: ({ key }) => key === 'operations',
};
