import type { Delivery } from '../../domain/delivery/delivery.ts';
import {
  checkpointPart,
  devicesOfPart,
  firstCheckpoint,
  isSequenced,
  numbered,
} from '../../domain/delivery/sequence.ts';
import { reasonToWait, type Webhook } from '../../domain/delivery/webhook.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { Instant } from '../../domain/time.ts';
import { type Decided, put } from '../commit/commit.ts';

import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { Reads, Stored, Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';

/**
 * Numbers the deliveries of one detection for the endpoints that use numbers, in the commit that creates them, so that numbers and deliveries always
 * match. Costs nothing if no endpoint uses numbers.
 */
export async function sequencedOf(
  { store }: Reads<'sequences'>,
  deliveries: Delivery[],
  { webhooks, restored = null }: Pick<Configuration, 'webhooks' | 'restored'>,
  device: { deviceId: string; groupId: string },
): Promise<{ deliveries: Delivery[]; writes: Write[] }> {
  const counting = new Set(webhooks.filter(isSequenced).map(({ webhookId }) => webhookId));
  if (!deliveries.some(({ webhookId }) => webhookId !== null && counting.has(webhookId)))
    return { deliveries, writes: [] };
  const [stored = null] = await store.get('sequences', [device.deviceId]);
  const { deliveries: made, record } = numbered(deliveries, stored?.data ?? null, webhooks, device, restored);
  return { deliveries: made, writes: [put('sequences', device.deviceId, record, stored)] };
}

/** Starts the checkpoints of an endpoint that was just set to use sequence numbers. They end when it no longer does. */
export async function checkpointsOf(
  { store, now, waits }: Reads<'sequenceCheckpoints'> & Pick<World, 'now' | 'waits'>,
  webhook: Webhook,
  before: Webhook | null,
): Promise<{ writes: Write[]; wakes: Wake[] }> {
  if (!isSequenced(webhook) || (before && isSequenced(before))) return { writes: [], wakes: [] };
  const { webhookId: id } = webhook;
  const [stored = null] = await store.get('sequenceCheckpoints', [id]);
  const first = firstCheckpoint(id, now(), waits.checkpointEvery);
  const { version, dueAt } = first;
  return {
    writes: [put('sequenceCheckpoints', id, first, stored)],
    wakes: [{ in: 'sequenceCheckpoints', id, version, dueAt }],
  };
}

/** Sends an endpoint the last number of each device, part by part. The answer says whether another part follows at once. */
export async function handleCheckpointDue(
  world: World,
  stored: Stored<'sequenceCheckpoints'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const { id, data: round, revision } = stored;
  const { webhooks } = await loadConfiguration(world);
  const webhook = webhooks.find(({ webhookId }) => webhookId === id);
  if (!webhook || !isSequenced(webhook)) {
    return { writes: [{ kind: 'delete', in: 'sequenceCheckpoints', id, revision }], wakes: [], answer: false };
  }
  const isWaiting = reasonToWait(webhook) !== null;
  const found = isWaiting ? [] : await devicesAfter(world, id, round.after);
  const everyMs = world.waits.checkpointEvery;
  const { delivery, next } = checkpointPart(round, webhook, found, now, everyMs);
  const { version, dueAt } = next;
  const isMore = dueAt <= now;
  return {
    writes: [put('sequenceCheckpoints', id, next, stored), ...(delivery ? [deliveryCreation(delivery)] : [])],
    wakes: [
      ...(delivery ? deliveryWakes([delivery]) : []),
      ...(isMore ? [] : [{ in: 'sequenceCheckpoints' as const, id, version, dueAt }]),
    ],
    answer: isMore,
  };
}

async function devicesAfter({ store }: Reads<'sequences'>, webhookId: string, after: string | null) {
  const found = await store.find({
    in: 'sequences',
    where: [{ field: 'endpoints', is: 'array-contains', value: webhookId }],
    limit: devicesOfPart,
    ...(after === null ? {} : { after: [after] }),
  });
  return found.map(({ data }) => data);
}
