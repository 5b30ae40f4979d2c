import { challengeDelivery } from '../../domain/delivery/challenge.ts';
import { forgiven } from '../../domain/delivery/endpoint-health.ts';
import type { Webhook } from '../../domain/delivery/webhook.ts';
import { isUuid } from '../../domain/ids.ts';
import { AppError, notFound } from '../../errors.ts';
import type {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  WebhookWithSecret,
  Webhook as WireWebhook,
} from '../../schema/webhook/webhook.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit, put, requireVersion } from '../commit/commit.ts';

import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import { listKey, type Page, type Paged, type PageTokens, pageOf } from '../paging/paging.ts';
import type { Reads, SecretBox, Stored, Wake, World, Write } from '../ports.ts';
import {
  emptyGroups,
  loadConfiguration,
  lockedConfiguration,
  maxWebhooks,
  requireQuota,
  revisionWrite,
} from '../settings/configuration.ts';
import { groupsConcerned, isWithinReach, requireMayWrite } from '../writes/may-write.ts';
import { refused, requireFit } from './fit.ts';
import { askedAnew, blankWebhook, changed } from './record.ts';
import { checkpointsOf } from './sequences.ts';
import { shownWebhook, shownWebhooks } from './view.ts';

/** What endpoints need in addition to the store. */
export type WebhookParts = {
  box: SecretBox;
  /** Why an address may not be a target. Null: it may, as far as is known now. */
  faultOfTarget(url: string): Promise<string | null>;
  newId(): string;
  newSecret(): string;
  /** Whether endpoints that limited tokens create or move must prove that they want events. */
  isChallengeRequired: boolean;
  newChallenge(): string;
};

export type VersionedRecord<T> = { record: T; version: number };

/**
 * Adds an endpoint. A generated secret is in this one answer only.
 * @throws AppError `invalid-request` that names each member at fault; `quota-exceeded`
 */
export async function createWebhook(
  world: World,
  parts: WebhookParts,
  bearer: Bearer,
  request: CreateWebhookRequest,
): Promise<VersionedRecord<WebhookWithSecret>> {
  const { generateSecret, ...options } = request;
  if (generateSecret && options.secret !== undefined) {
    throw refused([{ pointer: '/generateSecret', detail: 'cannot be combined with a given secret' }]);
  }
  const generated = generateSecret ? parts.newSecret() : undefined;
  const secret = generated ?? options.secret;
  const now = world.now();
  const blank = blankWebhook(parts.newId(), bearer.groups !== null, now);
  const webhook = askedAnew(
    parts,
    blank,
    changed(parts.box, blank, { ...options, ...(secret ? { secret } : {}) }, now),
  );
  await requireFit(world, parts, webhook, { ...options, ...(secret ? { secret } : {}) });
  const id = webhook.webhookId;
  return decideAndCommit(world, async () => ({
    ...(await withSequel(world, webhook, null, [
      { kind: 'create', in: 'webhooks', id, data: webhook },
      await requireRoom(world, bearer, webhook),
    ])),
    answer: {
      record: { ...(await shownWebhook(world, parts.box, webhook)), ...(generated ? { secret: generated } : {}) },
      version: webhook.version,
    },
  }));
}

/**
 * Changes an endpoint. Enabling it clears its failures.
 * @throws AppError `not-found`, `limited-to-groups`, `precondition-failed`, `invalid-request`, `quota-exceeded`
 */
export async function updateWebhook(
  world: World,
  parts: WebhookParts,
  bearer: Bearer,
  webhookId: string,
  { ifVersion, ...request }: UpdateWebhookRequest & { ifVersion: number | null },
): Promise<VersionedRecord<WireWebhook>> {
  const { data } = await loadWritable(world, bearer, webhookId);
  const now = world.now();
  await requireFit(world, parts, changed(parts.box, data, request, now), request);
  return changeWebhook(world, parts.box, bearer, { webhookId, ifVersion }, (webhook) =>
    askedAnew(parts, webhook, changed(parts.box, webhook, request, now)),
  );
}

/** Applies one change to the present state of an endpoint, and makes cached configurations stale. */
export async function changeWebhook(
  world: World,
  box: SecretBox,
  bearer: Bearer,
  { webhookId, ifVersion }: { webhookId: string; ifVersion: number | null },
  change: (webhook: Webhook) => Webhook,
): Promise<VersionedRecord<WireWebhook>> {
  return decideAndCommit(world, async () => {
    const stored = await loadWritable(world, bearer, webhookId);
    requireVersion('endpoint', stored.data.version, ifVersion);
    const data = { ...change(stored.data), version: stored.data.version + 1, changedAt: world.now() };
    const writes: Write[] = [
      { kind: 'replace', in: 'webhooks', id: webhookId, data, revision: stored.revision },
      await requireRoom(world, bearer, data, stored.data),
    ];
    if (data.isEnabled && !stored.data.isEnabled) writes.push(...(await forgiveFailures(world, webhookId)));
    const answer = { record: await shownWebhook(world, box, data), version: data.version };
    return { ...(await withSequel(world, data, stored.data, writes)), answer };
  });
}

/** The writes of a change, with the delivery of a new challenge, and the first checkpoint if the endpoint begins to use sequence numbers. */
async function withSequel(
  world: World,
  webhook: Webhook,
  before: Webhook | null,
  writes: Write[],
): Promise<{ writes: Write[]; wakes: Wake[] }> {
  const isAsked = webhook.challenge !== (before?.challenge ?? null);
  const challenge = [isAsked ? challengeDelivery(webhook, webhook.changedAt) : null].filter((each) => each !== null);
  const checkpoints = await checkpointsOf(world, webhook, before);
  return {
    writes: [...writes, ...challenge.map(deliveryCreation), ...checkpoints.writes],
    wakes: [...deliveryWakes(challenge), ...checkpoints.wakes],
  };
}

async function forgiveFailures({ store }: Reads<'endpointHealth'>, webhookId: string): Promise<Write[]> {
  const [health = null] = await store.get('endpointHealth', [webhookId]);
  return health ? [put('endpointHealth', webhookId, forgiven(health.data), health)] : [];
}

async function forgetFailures({ store }: Reads<'endpointHealth'>, webhookId: string): Promise<Write[]> {
  const [health = null] = await store.get('endpointHealth', [webhookId]);
  return health ? [{ kind: 'delete', in: 'endpointHealth', id: webhookId, revision: health.revision }] : [];
}

/** Removes an endpoint. Deliveries that are still due to it are held. @throws AppError `not-found`, `limited-to-groups`, `precondition-failed` */
export async function deleteWebhook(
  world: World,
  bearer: Bearer,
  webhookId: string,
  ifVersion: number | null,
): Promise<void> {
  await decideAndCommit(world, async () => {
    const { data, revision } = await loadWritable(world, bearer, webhookId);
    requireVersion('endpoint', data.version, ifVersion);
    const writes: Write[] = [
      { kind: 'delete', in: 'webhooks', id: webhookId, revision },
      await revisionWrite(world.store),
      ...(await forgetFailures(world, webhookId)),
    ];
    return { writes, wakes: [], answer: undefined };
  });
}

/** @throws AppError `not-found`; `limited-to-groups` where the bearer is limited and the endpoint was created by one who is not */
export async function loadWritable(world: World, bearer: Bearer, webhookId: string): Promise<Stored<'webhooks'>> {
  const stored = await loadWebhook(world, bearer, webhookId);
  requireMayWrite(bearer, 'webhooks', stored.data, stored.data);
  return stored;
}

/** The write of the configuration's revision. @throws AppError `quota-exceeded` */
async function requireRoom(world: World, bearer: Bearer, webhook: Webhook, before?: Webhook): Promise<Write> {
  const [{ webhooks }, revision] = await lockedConfiguration(world);
  const others = webhooks.filter(({ webhookId }) => webhookId !== webhook.webhookId);
  const groupsOf = (each: Webhook) => groupsConcerned('webhooks', each);
  if (others.length >= maxWebhooks) {
    throw new AppError('quota-exceeded', `There are already ${maxWebhooks} endpoints, the maximum.`);
  }
  const asked = { groups: groupsOf(webhook), before: before ? groupsOf(before) : [], others: others.map(groupsOf) };
  requireQuota('webhooks', asked, await emptyGroups(world, bearer, [asked.groups, ...asked.others]));
  return revision;
}

/** @throws AppError `not-found`, also where the endpoint may get events outside the bearer's groups */
export async function loadWebhook(
  { store }: Reads<'webhooks'>,
  bearer: Bearer,
  webhookId: string,
): Promise<Stored<'webhooks'>> {
  const [stored = null] = isUuid(webhookId) ? await store.get('webhooks', [webhookId]) : [];
  if (!stored || !isWithinReach(bearer, 'webhooks', stored.data)) throw notFound(`webhook ${webhookId}`);
  return stored;
}

/** Lists endpoints, newest first. @throws AppError `invalid-request` for the page token of another list */
export async function listWebhooks(
  world: World,
  box: SecretBox,
  bearer: Bearer,
  query: Page,
  tokens: PageTokens,
): Promise<{ webhooks: WireWebhook[]; nextPageToken?: string }> {
  const { items, next } = await pageOfEndpoints(world, bearer, 'webhooks', query, tokens);
  return { webhooks: await shownWebhooks(world, box, items), ...next };
}

/**
 * A page of the endpoints that a bearer may see, newest first.
 * @param list the name of the list, to which a page token belongs
 */
export async function pageOfEndpoints(
  world: World,
  bearer: Bearer,
  list: string,
  query: Page,
  tokens: PageTokens,
): Promise<Paged<Webhook>> {
  const key = listKey(list, query, bearer.groups);
  const { webhooks } = await loadConfiguration(world);
  const visible = webhooks.filter((webhook) => isWithinReach(bearer, 'webhooks', webhook)).toReversed();
  const positionOf = ({ createdAt, webhookId }: Webhook) => `${createdAt} ${webhookId}`;
  return pageOf<Webhook>(
    { tokens, key, page: query },
    async (limit, { after: [last] = [] }) =>
      visible.filter((webhook) => last === undefined || positionOf(webhook) < String(last)).slice(0, limit),
    (webhook) => [positionOf(webhook)],
  );
}
