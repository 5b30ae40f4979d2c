import type { Schemas } from '../../../../sdk/typescript/src/index.ts';
import { credentialHeader } from '../../../../shared/schema/vocabulary.ts';
import { credentialOf, hidden, isHidden, mustBeReference, referenceTo } from '../credential.ts';
import { isFromEnvironment } from '../document.ts';
import { filterReferences } from './filter.ts';
import type { Existing, Fault, Kind, Secrets, Shown } from './kind.ts';

const members = [
  'url',
  'method',
  'events',
  'filter',
  'membersOfIncidents',
  'format',
  'drill',
  'sequenced',
  'template',
  'maxAttempts',
  'retryDelays',
  'retentionDays',
  'timeoutSeconds',
  'contact',
  'enabled',
  'description',
] as const satisfies (keyof Schemas['Webhook'])[];
/** What the service shows instead of a header value that is a credential, and takes as "as it was". */
const asItWas = '***';

function existingOf(webhook: Schemas['Webhook']): Existing {
  const { webhookId, url, hasSecret, clientCertificate, oauth2, credentialVersions = {} } = webhook;
  const headers = Object.entries(webhook.headers).map(([name, value]) => [
    name,
    credentialHeader.test(name) ? hidden(credentialVersions.headers?.[name]) : value,
  ]);
  const shown: Shown = {
    ...Object.fromEntries(members.map((name) => [name, webhook[name]])),
    headers: Object.fromEntries(headers),
    ...(hasSecret ? { secret: hidden(credentialVersions.secret) } : {}),
    ...(clientCertificate
      ? {
          clientCertificate: {
            certificate: clientCertificate.certificate,
            key: hidden(credentialVersions.clientCertificate),
          },
        }
      : {}),
    ...(oauth2 ? { oauth2: { ...oauth2, clientSecret: hidden(credentialVersions.oauth2) } } : {}),
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

/** Members with a credential inside: the credential, and the end of the name of its variable. */
const proofs = [
  ['clientCertificate', 'key', 'CLIENT_KEY'],
  ['oauth2', 'clientSecret', 'CLIENT_SECRET'],
] as const;

function partsOf(item: Shown, outer: string): Shown {
  const part = item[outer];
  return typeof part === 'object' && part !== null ? (part as Shown) : {};
}

/** The credential that the service would keep with these members around it. */
function keptIn(outer: (typeof proofs)[number][0], whole: Shown, before: Shown): Shown {
  const [now, known] = [partsOf(whole, outer), partsOf(before, outer)];
  const isSame =
    outer === 'oauth2'
      ? originOf(now['tokenUrl']) === originOf(known['tokenUrl']) && now['clientId'] === known['clientId']
      : now['certificate'] === known['certificate'];
  return isSame ? known : {};
}

/** The members with a credential inside: how they are shown, and how they are sent with what the environment has. */
function provenIn(whole: Shown, before: Shown, secrets: Secrets) {
  return proofs.flatMap(([outer, inner]) => {
    if (whole[outer] === undefined) return [];
    const { [inner]: given, ...rest } = partsOf(whole, outer);
    const credential = credentialOf(given, keptIn(outer, whole, before)[inner], secrets, [outer, inner]);
    const sent = () => {
      const { text, version } = credential.sent() ?? {};
      return { part: { ...rest, ...(text === undefined ? {} : { [inner]: text }) }, version };
    };
    return [{ outer, shown: { ...rest, [inner]: credential.shown }, sent }];
  });
}

export const webhooks: Kind = {
  section: 'webhooks',
  key: 'url',
  id: 'webhookId',
  schema: 'createWebhookBody',
  // A filter without groups is one of all groups.
  wholes: ['filter'],
  removable: [
    ...['secret', 'headers', 'filter', 'description', 'template', 'retryDelays', 'retentionDays', 'contact'],
    ...['clientCertificate', 'oauth2'],
  ],
  faultsOf(item) {
    const { secret = null } = item;
    const wrong: Fault[] = Object.entries(headersIn(item)).flatMap(([name, value]) => {
      const path = ['headers', name];
      if (value === null || credentialHeader.test(name) === isFromEnvironment(value)) return [];
      if (!isFromEnvironment(value)) return [{ path, detail: mustBeReference }];
      return [{ path, detail: 'must be the value itself: the service takes it for no credential, and shows it' }];
    });
    const isFit = secret === null || isFromEnvironment(secret);
    const within = proofs.flatMap(([outer, inner]): Fault[] => {
      const value = partsOf(item, outer)[inner] ?? null;
      return value === null || isFromEnvironment(value) ? [] : [{ path: [outer, inner], detail: mustBeReference }];
    });
    return [...(isFit ? [] : [{ path: ['secret'], detail: mustBeReference }]), ...within, ...wrong];
  },
  checkable({ secret: _, ...whole }) {
    const placed = Object.entries(headersIn(whole)).map(([name, value]) => [
      name,
      isFromEnvironment(value) || isHidden(value) ? 'x' : value,
    ]);
    const present = Object.entries(whole).filter(([, value]) => value !== null);
    const isGiven = typeof whole['headers'] === 'object' && whole['headers'] !== null;
    const proven = proofs.flatMap(([outer, inner]) =>
      present.some(([name]) => name === outer) ? [[outer, { ...partsOf(whole, outer), [inner]: 'x' }]] : [],
    );
    return {
      ...Object.fromEntries([...present, ...proven]),
      ...(isGiven ? { headers: Object.fromEntries(placed) } : {}),
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
    const headers = Object.entries(headersIn(shown)).map(([name, value]) => [
      name,
      isHidden(value) ? referenceTo(value, variableOf(key, name)) : value,
    ]);
    const { secret } = shown;
    const proven = proofs.flatMap(([outer, inner, what]) => {
      const value = partsOf(shown, outer)[inner];
      return isHidden(value)
        ? [[outer, { ...partsOf(shown, outer), [inner]: referenceTo(value, variableOf(key, what)) }]]
        : [];
    });
    return {
      ...shown,
      headers: Object.fromEntries(headers),
      secret: isHidden(secret) ? referenceTo(secret, variableOf(key, 'SECRET')) : null,
      ...Object.fromEntries(proven),
    };
  },
  wanted(whole, existing, secrets) {
    // The service keeps no credentials and headers when the origin changes.
    const isMoved = existing !== null && originOf(existing.shown['url']) !== originOf(whole['url']);
    const { secret: _, headers: __, clientCertificate: ___, oauth2: ____, ...unsigned } = existing?.shown ?? {};
    const before: Shown = existing && !isMoved ? existing.shown : unsigned;
    const known = headersIn(before);
    const headers = Object.entries(headersIn(whole)).map(([name, value]) => {
      if (!isHidden(value) && !isFromEnvironment(value)) return [name, { shown: value, sent: () => null }] as const;
      return [name, credentialOf(value, known[name], secrets, ['headers', name])] as const;
    });
    const signing = credentialOf(whole['secret'], before['secret'], secrets, ['secret']);
    const isRemoved = whole['secret'] === undefined;
    const proven = provenIn(whole, before, secrets);
    const shown: Shown = {
      ...whole,
      ...Object.fromEntries(proven.map(({ outer, shown: part }) => [outer, part])),
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
        const sent = changed.has('headers') ? sentHeaders(headers) : null;
        const isSigned = changed.has('secret') && !isRotated;
        const secret = isSigned ? signing.sent() : null;
        const given = proven
          .filter(({ outer }) => changed.has(outer))
          .map(({ outer, sent: send }) => ({ outer, ...send() }));
        return {
          ...plainMembers(whole, shown, changed),
          ...Object.fromEntries(given.map(({ outer, part }) => [outer, part])),
          ...(sent ? { headers: sent.values } : {}),
          ...(isSigned ? { secret: secret?.text ?? null } : {}),
          ...versionsOf(secret, sent?.versions ?? {}, given),
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

/** The changed members that are no credentials. Null: the member is removed. */
function plainMembers(whole: Shown, shown: Shown, changed: ReadonlySet<string>): Record<string, unknown> {
  const isPlain = (name: string) => changed.has(name) && name !== 'headers' && name !== 'secret';
  const gone = [...changed].filter((name) => isPlain(name) && whole[name] === undefined);
  const own = Object.keys(shown).filter((name) => isPlain(name) && proofs.every(([outer]) => outer !== name));
  return Object.fromEntries([...gone.map((name) => [name, null]), ...own.map((name) => [name, whole[name] ?? null])]);
}

type Sent = { text: string; version?: number };
/** A member with a credential inside, as it is sent. */
type SentProof = { outer: string; version?: number | undefined };

/** The member that names the versions of the sent credentials. Empty: none of them has one. */
function versionsOf(
  secret: Sent | null,
  headers: Record<string, number>,
  given: readonly SentProof[],
): { credentialVersions?: object } {
  const versions = {
    ...Object.fromEntries(given.flatMap(({ outer, version }) => (version === undefined ? [] : [[outer, version]]))),
    ...(secret?.version === undefined ? {} : { secret: secret.version }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
  return Object.keys(versions).length > 0 ? { credentialVersions: versions } : {};
}

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
