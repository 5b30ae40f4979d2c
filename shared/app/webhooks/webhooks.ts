import type { Webhook } from '../../domain/delivery/webhook.ts';
import { faultsOfHeaders, hiddenValue } from '../../domain/delivery/webhook-headers.ts';
import { isUuid } from '../../domain/ids.ts';
import { isWithin, type ScheduleSettings } from '../../domain/settings/schedules.ts';
import type { Instant } from '../../domain/time.ts';
import { AppError, type Fault, notFound } from '../../errors.ts';
import type {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  WebhookFilter,
  WebhookWithSecret,
  Webhook as WireWebhook,
} from '../../schema/webhook/webhook.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { requireVersion } from '../commit/version.ts';
import { listKey, type Page, type PageTokens, pageOf } from '../paging/paging.ts';
import type { Reads, SecretBox, Stored, World, Write } from '../ports.ts';
import { loadConfiguration, maxWebhooks, revisionWrite } from '../settings/configuration.ts';
import { headersOf, ownerOf } from './secrets.ts';
import { toWireWebhook } from './view.ts';

/** What endpoints need beside the store. */
export type WebhookParts = {
  box: SecretBox;
  /** Why an address may not be a target; null: it may, as far as can be told now. */
  faultOfTarget(url: string): Promise<string | null>;
  newId(): string;
  newSecret(): string;
};

export type Versioned<T> = { record: T; version: number };

/**
 * Adds an endpoint. A secret that is generated here stands in the answer, this once.
 * @throws AppError `invalid-request` that names each member at fault
 */
export async function createWebhook(
  world: World,
  parts: WebhookParts,
  bearer: Bearer,
  request: CreateWebhookRequest,
): Promise<Versioned<WebhookWithSecret>> {
  const { generateSecret, ...options } = request;
  if (generateSecret && options.secret !== undefined) {
    throw refused([{ pointer: '/generateSecret', detail: 'does not go with a secret that is given' }]);
  }
  const generated = generateSecret ? parts.newSecret() : undefined;
  const secret = generated ?? options.secret;
  const now = world.now();
  const blank = blankWebhook(parts.newId(), now);
  const webhook = changed(parts.box, blank, { ...options, ...(secret ? { secret } : {}) }, now);
  await requireFit(world, parts, bearer, webhook, options.headers ?? {});
  const { webhooks } = await loadConfiguration(world);
  if (webhooks.length >= maxWebhooks) throw refused([{ pointer: '', detail: `would be endpoint ${maxWebhooks + 1}` }]);
  const id = webhook.webhookId;
  return decideAndCommit(world, async () => ({
    writes: [{ kind: 'create', in: 'webhooks', id, data: webhook }, await revisionWrite(world.store)],
    wakes: [],
    answer: {
      record: { ...toWireWebhook(webhook, parts.box, now), ...(generated ? { secret: generated } : {}) },
      version: webhook.version,
    },
  }));
}

/** Changes an endpoint. Enabling it forgets its failures. @throws AppError `not-found`, `precondition-failed`, `invalid-request` */
export async function updateWebhook(
  world: World,
  parts: WebhookParts,
  bearer: Bearer,
  webhookId: string,
  { ifVersion, ...request }: UpdateWebhookRequest & { ifVersion: number | null },
): Promise<Versioned<WireWebhook>> {
  const { data } = await loadWebhook(world, bearer, webhookId);
  const now = world.now();
  await requireFit(world, parts, bearer, changed(parts.box, data, request, now), request.headers ?? {});
  return changeWebhook(world, parts.box, bearer, webhookId, ifVersion, (webhook) =>
    changed(parts.box, webhook, request, now),
  );
}

/** One change of one endpoint as it is now, made known to every cached configuration. */
export async function changeWebhook(
  world: World,
  box: SecretBox,
  bearer: Bearer,
  webhookId: string,
  ifVersion: number | null,
  change: (webhook: Webhook) => Webhook,
): Promise<Versioned<WireWebhook>> {
  return decideAndCommit(world, async () => {
    const stored = await loadWebhook(world, bearer, webhookId);
    requireVersion('endpoint', stored.data.version, ifVersion);
    const data = { ...change(stored.data), version: stored.data.version + 1, changedAt: world.now() };
    const writes: Write[] = [
      { kind: 'replace', in: 'webhooks', id: webhookId, data, revision: stored.revision },
      await revisionWrite(world.store),
    ];
    if (data.isEnabled && !stored.data.isEnabled) writes.push(...(await forgetFailures(world, webhookId)));
    return { writes, wakes: [], answer: { record: toWireWebhook(data, box, world.now()), version: data.version } };
  });
}

async function forgetFailures({ store }: Reads<'endpointHealth'>, webhookId: string): Promise<Write[]> {
  const [health = null] = await store.get('endpointHealth', [webhookId]);
  return health ? [{ kind: 'delete', in: 'endpointHealth', id: webhookId, revision: health.revision }] : [];
}

/** Removes an endpoint; deliveries on their way to it are held when their time comes. @throws AppError `not-found` */
export async function deleteWebhook(world: World, bearer: Bearer, webhookId: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const { revision } = await loadWebhook(world, bearer, webhookId);
    const writes: Write[] = [
      { kind: 'delete', in: 'webhooks', id: webhookId, revision },
      await revisionWrite(world.store),
      ...(await forgetFailures(world, webhookId)),
    ];
    return { writes, wakes: [], answer: undefined };
  });
}

/** @throws AppError `not-found`, also where the endpoint may be sent what the bearer's groups do not include */
export async function loadWebhook(
  { store }: Reads<'webhooks'>,
  { groups }: Bearer,
  webhookId: string,
): Promise<Stored<'webhooks'>> {
  const [stored = null] = isUuid(webhookId) ? await store.get('webhooks', [webhookId]) : [];
  if (!stored || !isWithinGroups(stored.data.filter, groups)) throw notFound(`webhook ${webhookId}`);
  return stored;
}

/** Lists endpoints, newest first. @throws AppError `invalid-request` for a foreign page token */
export async function listWebhooks(
  world: World,
  box: SecretBox,
  bearer: Bearer,
  query: Page,
  tokens: PageTokens,
): Promise<{ webhooks: WireWebhook[]; nextPageToken?: string }> {
  const key = listKey('webhooks', query, bearer.groups);
  const { webhooks } = await loadConfiguration(world);
  const visible = webhooks.filter(({ filter }) => isWithinGroups(filter, bearer.groups)).toReversed();
  const positionOf = ({ createdAt, webhookId }: Webhook) => `${createdAt} ${webhookId}`;
  const { items, next } = await pageOf(
    { tokens, key, page: query },
    async (limit, { after: [last] = [] }) =>
      visible.filter((webhook) => last === undefined || positionOf(webhook) < String(last)).slice(0, limit),
    (webhook) => [positionOf(webhook)],
  );
  return { webhooks: items.map((webhook) => toWireWebhook(webhook, box, world.now())), ...next };
}

/** Whether an endpoint is sent nothing beyond these groups; null: all groups. */
function isWithinGroups(filter: WebhookFilter | null, groups: readonly string[] | null): boolean {
  if (groups === null) return true;
  return (filter?.groups?.length ?? 0) > 0 && (filter?.groups ?? []).every((group) => groups.includes(group));
}

function blankWebhook(webhookId: string, now: Instant): Webhook {
  return {
    webhookId,
    url: '',
    method: 'POST',
    sealedHeaders: null,
    secret: null,
    nextSecret: null,
    events: ['detection'],
    filter: null,
    maxAttempts: 3,
    timeoutSeconds: 10,
    isEnabled: true,
    disabledReason: null,
    description: null,
    createdAt: now,
    changedAt: now,
    version: 1,
  };
}

/** The endpoint with the members that are given; null takes one away. */
function changed(box: SecretBox, webhook: Webhook, request: UpdateWebhookRequest, now: Instant): Webhook {
  const { headers, secret, enabled, filter, description, ...plain } = request;
  const next: Webhook = { ...webhook, ...plain, changedAt: now };
  if (filter !== undefined) next.filter = filter;
  if (description !== undefined) next.description = description;
  if (headers !== undefined) next.sealedHeaders = sealHeaders(box, webhook, headers ?? {});
  if (secret !== undefined) {
    next.secret = secret === null ? null : box.seal(secret, ownerOf(webhook.webhookId, 'secret'));
    next.nextSecret = null;
  }
  if (enabled !== undefined) {
    next.isEnabled = enabled;
    next.disabledReason = null;
  }
  return next;
}

/** A value that was shown as hidden and comes back so stays what it is. */
function sealHeaders(box: SecretBox, webhook: Webhook, headers: Record<string, string>): string | null {
  const known = headersOf(box, webhook);
  const kept = Object.entries(headers).map(([name, value]) => [
    name,
    value === hiddenValue && Object.hasOwn(known, name) ? known[name] : value,
  ]);
  if (kept.length === 0) return null;
  return box.seal(JSON.stringify(Object.fromEntries(kept)), ownerOf(webhook.webhookId, 'headers'));
}

/** What the schema cannot say. @throws AppError `invalid-request` */
async function requireFit(
  world: World,
  parts: WebhookParts,
  bearer: Bearer,
  { url, filter }: Webhook,
  headers: Record<string, string>,
): Promise<void> {
  const { settings } = await loadConfiguration(world);
  const fault = await parts.faultOfTarget(url);
  const faults: Fault[] = [
    ...(fault ? [{ pointer: '/url', detail: fault }] : []),
    ...faultsOfHeaders(headers),
    ...faultsOfSchedule(filter, world.now(), settings),
  ];
  if (!isWithinGroups(filter, bearer.groups)) {
    faults.push({ pointer: '/filter/groups', detail: 'must name groups, and only those that the token includes' });
  }
  if (faults.length > 0) throw refused(faults);
}

function faultsOfSchedule(filter: WebhookFilter | null, now: Instant, settings: ScheduleSettings): Fault[] {
  if (filter?.schedule === undefined || isWithin(filter.schedule, now, settings) !== null) return [];
  return [{ pointer: '/filter/schedule', detail: `there is no schedule ${filter.schedule}` }];
}

function refused(errors: Fault[]): AppError {
  const [first] = errors;
  return new AppError('invalid-request', `${first?.pointer || 'The endpoint'} ${first?.detail}.`, { errors });
}
