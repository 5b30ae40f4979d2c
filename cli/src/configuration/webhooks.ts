import type { Schemas } from '../../../sdk/typescript/src/index.ts';
import { credentialHeader } from '../../../shared/schema/vocabulary.ts';
import { isFromEnvironment } from './document.ts';
import { type Kind, MissingSecret, type Secrets, type Shown } from './kind.ts';

/** The service shows this instead of a header value that is a credential. */
const hidden = '***';
const defaults = {
  method: 'POST',
  headers: {},
  events: ['detection'],
  filter: null,
  membersOfIncidents: true,
  sequenced: false,
  format: 'native',
  maxAttempts: 3,
  timeoutSeconds: 10,
  enabled: true,
  description: null,
};

function existingOf({ webhookId, url, hasSecret, ...rest }: Schemas['Webhook']) {
  const members = Object.keys(defaults) as (keyof typeof defaults)[];
  const shown: Shown = {
    url,
    ...Object.fromEntries(members.map((name) => [name, rest[name]])),
    secret: hasSecret ? hidden : null,
  };
  return { id: webhookId, key: url, shown };
}

const variableOf = (url: string, what: string) =>
  `WEBHOOK_${what}_${new URL(url).host}${new URL(url).pathname}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/_$/, '');

const originOf = (url: unknown) => (URL.canParse(String(url)) ? new URL(String(url)).origin : String(url));

/** A value that may come from the environment: as it is shown, and as it is sent. */
function secretOr(given: unknown, known: unknown, secrets: Secrets, path: (string | number)[]) {
  if (!isFromEnvironment(given)) return { shown: given, body: () => given };
  return {
    shown: hidden,
    body() {
      if (known === hidden) return hidden;
      const value = secrets(given.env);
      if (value === undefined || value === '') throw new MissingSecret(given.env, path);
      return value;
    },
  };
}

export const webhooks: Kind = {
  section: 'webhooks',
  key: 'url',
  id: 'webhookId',
  schema: 'createWebhookBody',
  checkable({ webhookId: _, secret, ...item }) {
    const detail = 'must be {env: NAME}: a secret stands in the environment, never in the file';
    const given = (item['headers'] ?? {}) as Record<string, unknown>;
    const entries = typeof given === 'object' ? Object.entries(given) : [];
    const wrong = entries.filter(([name, value]) => credentialHeader.test(name) && !isFromEnvironment(value));
    const isSecretFit = secret === undefined || secret === null || isFromEnvironment(secret);
    const headers = Object.fromEntries(entries.map(([name, value]) => [name, isFromEnvironment(value) ? 'x' : value]));
    const { filter, description, ...rest } = item;
    return {
      body: {
        ...rest,
        ...(item['headers'] === undefined ? {} : { headers }),
        // In the file, null means none. The schema for creation has no null.
        ...(filter === undefined || filter === null ? {} : { filter }),
        ...(description === undefined || description === null ? {} : { description }),
      },
      faults: [
        ...(isSecretFit ? [] : [{ path: ['secret'], detail }]),
        ...wrong.map(([name]) => ({ path: ['headers', name], detail })),
      ],
    };
  },
  async list(client) {
    const found = [];
    for await (const webhook of client.each('listWebhooks', { query: { pageSize: 200 } }))
      found.push(existingOf(webhook));
    return found;
  },
  async get(client, webhookId) {
    const { data, etag } = await client.call('getWebhook', { params: { webhookId } });
    return { existing: existingOf(data), etag };
  },
  exported({ key, shown }) {
    const { secret, ...rest } = shown;
    const headers = Object.entries(shown['headers'] as Record<string, string>).map(([name, value]) => [
      name,
      value === hidden ? { env: variableOf(key, name) } : value,
    ]);
    return {
      ...rest,
      headers: Object.fromEntries(headers),
      secret: secret === null ? null : { env: variableOf(key, 'SECRET') },
    };
  },
  wanted({ webhookId: _, secret, ...item }, existing, secrets) {
    // The service keeps no credentials when the origin changes.
    const kept =
      existing && originOf(existing.shown['url']) === originOf(item['url'])
        ? existing.shown
        : { headers: {}, secret: null };
    const knownHeaders = kept['headers'] as Record<string, string>;
    const whole: Shown = { ...defaults, ...item };
    const headers = Object.entries(whole['headers'] as object).map(
      ([name, value]) => [name, secretOr(value, knownHeaders[name], secrets, ['headers', name])] as const,
    );
    const signing = secretOr(secret === undefined ? kept['secret'] : secret, kept['secret'], secrets, ['secret']);
    return {
      shown: {
        ...whole,
        headers: Object.fromEntries(headers.map(([name, { shown }]) => [name, shown])),
        secret: signing.shown,
      },
      body() {
        const sent = signing.body();
        return {
          ...whole,
          headers: Object.fromEntries(headers.map(([name, { body }]) => [name, body()])),
          ...(sent === hidden ? {} : { secret: sent }),
        };
      },
    };
  },
  create: (client, _, body) => {
    // In a change, null removes a member. In a new record there is nothing to remove.
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    return client.call('createWebhook', { body: given as Schemas['CreateWebhookRequest'] });
  },
  change: (client, webhookId, body, ifMatch) =>
    client.call('updateWebhook', { params: { webhookId }, body: body as Schemas['UpdateWebhookRequest'], ...ifMatch }),
  remove: (client, webhookId) => client.call('deleteWebhook', { params: { webhookId } }),
};
