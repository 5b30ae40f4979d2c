import type { Schemas } from '../../../../sdk/typescript/src/index.ts';
import { credentialHeader } from '../../../../shared/schema/vocabulary.ts';
import { credentialOf, hidden, isHidden, mustBeReference, referenceTo } from '../credential.ts';
import { isFromEnvironment } from '../document.ts';
import { filterReferences } from './filter.ts';
import type { Existing, Fault, Kind, Shown } from './kind.ts';

const members = [
  'url',
  'method',
  'events',
  'filter',
  'membersOfIncidents',
  'format',
  'drill',
  'sequenced',
  'maxAttempts',
  'timeoutSeconds',
  'enabled',
  'description',
] as const satisfies (keyof Schemas['Webhook'])[];
/** What the service shows instead of a header value that is a credential, and takes as "as it was". */
const asItWas = '***';

function existingOf(webhook: Schemas['Webhook']): Existing {
  const { webhookId, url, hasSecret, credentialVersions = {} } = webhook;
  const headers = Object.entries(webhook.headers).map(([name, value]) => [
    name,
    credentialHeader.test(name) ? hidden(credentialVersions.headers?.[name]) : value,
  ]);
  const shown: Shown = {
    ...Object.fromEntries(members.map((name) => [name, webhook[name]])),
    headers: Object.fromEntries(headers),
    ...(hasSecret ? { secret: hidden(credentialVersions.secret) } : {}),
  };
  return { id: webhookId, key: url, shown };
}

const variableOf = (url: string, what: string) =>
  `WEBHOOK_${what}_${new URL(url).host}${new URL(url).pathname}`
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/_$/, '');

const originOf = (url: unknown) => (URL.canParse(String(url)) ? new URL(String(url)).origin : String(url));

function headersIn(item: Shown): Record<string, unknown> {
  const { headers } = item;
  return typeof headers === 'object' && headers !== null ? (headers as Record<string, unknown>) : {};
}

export const webhooks: Kind = {
  section: 'webhooks',
  key: 'url',
  id: 'webhookId',
  schema: 'createWebhookBody',
  // A filter without groups is one of all groups.
  wholes: ['filter'],
  removable: ['secret', 'headers', 'filter', 'description'],
  faultsOf(item) {
    const { secret = null } = item;
    const wrong: Fault[] = Object.entries(headersIn(item)).flatMap(([name, value]) => {
      const path = ['headers', name];
      if (value === null || credentialHeader.test(name) === isFromEnvironment(value)) return [];
      if (!isFromEnvironment(value)) return [{ path, detail: mustBeReference }];
      return [{ path, detail: 'must be the value itself: the service takes it for no credential, and shows it' }];
    });
    const isFit = secret === null || isFromEnvironment(secret);
    return [...(isFit ? [] : [{ path: ['secret'], detail: mustBeReference }]), ...wrong];
  },
  checkable({ secret: _, ...whole }) {
    const placed = Object.entries(headersIn(whole)).map(([name, value]) => [
      name,
      isFromEnvironment(value) || isHidden(value) ? 'x' : value,
    ]);
    const present = Object.entries(whole).filter(([, value]) => value !== null);
    const isGiven = typeof whole['headers'] === 'object' && whole['headers'] !== null;
    return { ...Object.fromEntries(present), ...(isGiven ? { headers: Object.fromEntries(placed) } : {}) };
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
    const headers = Object.entries(headersIn(shown)).map(([name, value]) => [
      name,
      isHidden(value) ? referenceTo(value, variableOf(key, name)) : value,
    ]);
    const { secret } = shown;
    return {
      ...shown,
      headers: Object.fromEntries(headers),
      secret: isHidden(secret) ? referenceTo(secret, variableOf(key, 'SECRET')) : null,
    };
  },
  wanted(whole, existing, secrets) {
    // The service keeps no credentials and headers when the origin changes.
    const isMoved = existing !== null && originOf(existing.shown['url']) !== originOf(whole['url']);
    const { secret: _, headers: __, ...unsigned } = existing?.shown ?? {};
    const before: Shown = existing && !isMoved ? existing.shown : unsigned;
    const known = headersIn(before);
    const headers = Object.entries(headersIn(whole)).map(([name, value]) => {
      if (!isHidden(value) && !isFromEnvironment(value)) return [name, { shown: value, sent: () => null }] as const;
      return [name, credentialOf(value, known[name], secrets, ['headers', name])] as const;
    });
    const signing = credentialOf(whole['secret'], before['secret'], secrets, ['secret']);
    const isRemoved = whole['secret'] === undefined;
    const shown: Shown = {
      ...whole,
      headers: Object.fromEntries(
        headers.flatMap(([name, { shown: value }]) => (value === null ? [] : [[name, value]])),
      ),
      secret: isRemoved ? undefined : (signing.shown ?? undefined),
    };
    const isRotated = isHidden(before['secret']) && isHidden(shown['secret']) && signing.sent() !== null;
    return {
      before,
      shown,
      body(changed) {
        const own = Object.keys(shown).filter((name) => changed.has(name) && !['headers', 'secret'].includes(name));
        const gone = [...changed].filter(
          (name) => whole[name] === undefined && name !== 'secret' && name !== 'headers',
        );
        const sent = changed.has('headers') ? sentHeaders(headers) : null;
        const secret = changed.has('secret') && !isRotated ? signing.sent() : null;
        const versions = {
          ...(secret?.version === undefined ? {} : { secret: secret.version }),
          ...(sent && Object.keys(sent.versions).length > 0 ? { headers: sent.versions } : {}),
        };
        return {
          ...Object.fromEntries([
            ...gone.map((name) => [name, null]),
            ...own.map((name) => [name, whole[name] ?? null]),
          ]),
          ...(sent ? { headers: sent.values } : {}),
          ...(changed.has('secret') && !isRotated ? { secret: secret?.text ?? null } : {}),
          ...(Object.keys(versions).length > 0 ? { credentialVersions: versions } : {}),
        };
      },
      ...(isRotated ? { rotation: { member: 'secret', act: rotationOf(signing.sent()) } } : {}),
    };
  },
  async create(client, _, body) {
    // In a change, null removes a member. In a new record there is nothing to remove.
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
    const { data, etag } = await client.call('createWebhook', { body: given as Schemas['CreateWebhookRequest'] });
    return { id: data.webhookId, etag };
  },
  async change(client, webhookId, body, ifMatch) {
    const given = { params: { webhookId }, body: body as Schemas['UpdateWebhookRequest'], ...ifMatch };
    return { id: webhookId, etag: (await client.call('updateWebhook', given)).etag };
  },
  remove: (client, webhookId, ifMatch) => client.call('deleteWebhook', { params: { webhookId }, ...ifMatch }),
  references: ({ filter }) => filterReferences(filter, ['filter']),
};

type Sent = { text: string; version?: number };

function sentHeaders(headers: readonly (readonly [string, { shown: unknown; sent: () => Sent | null }])[]) {
  const values: Record<string, string> = {};
  const versions: Record<string, number> = {};
  for (const [name, { shown, sent }] of headers) {
    const anew = sent();
    if (anew?.version !== undefined) versions[name] = anew.version;
    if (shown !== null) values[name] = anew ? anew.text : isHidden(shown) ? asItWas : String(shown);
  }
  return { values, versions };
}

/** A new signing secret signs beside the old one for a while, so that a receiver can be changed in between. */
function rotationOf(sent: Sent | null): NonNullable<ReturnType<Kind['wanted']>['rotation']>['act'] {
  return async (client, webhookId, ifMatch) => {
    const body = { secret: sent?.text ?? '', ...(sent?.version === undefined ? {} : { version: sent.version }) };
    const { etag } = await client.call('rotateWebhookSecret', { params: { webhookId }, body, ...ifMatch });
    return { id: webhookId, etag };
  };
}
