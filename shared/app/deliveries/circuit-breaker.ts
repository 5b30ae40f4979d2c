import type { SendOutcome } from '../../domain/delivery/delivery.ts';
import { afterFailure, isGivenUp, soundHealth } from '../../domain/delivery/endpoint-health.ts';
import type { EndpointHealth, Webhook } from '../../domain/delivery/webhook.ts';
import type { Notice } from '../../domain/notify/notice.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import { put } from '../commit/put.ts';
import type { Stored, World, Write } from '../ports.ts';
import { revisionWrite } from '../settings/configuration.ts';

/**
 * The circuit breaker: follows the health of endpoints and hand-offs. It keeps a copy of each record for a moment, so that successful traffic reads
 * and writes nothing.
 */
export type CircuitBreaker = {
  health(webhookId: string): Promise<EndpointHealth>;
  /** The copy while it is fresh. Null where the record must be read. */
  known(webhookId: string): EndpointHealth | null;
  /** Keeps the record that was read. */
  learn(webhookId: string, read: Stored<'endpointHealth'> | null): void;
  note(webhookId: string, outcome: SendOutcome, startedAt: Instant): Promise<void>;
};

export function createCircuitBreaker(world: World): CircuitBreaker {
  const copies = new Map<string, { health: EndpointHealth; readAt: Instant }>();
  const keep = (health: EndpointHealth) => {
    copies.set(health.webhookId, { health, readAt: world.now() });
    return health;
  };
  const staleAfterMs = world.waits.breakerFirst / 6;
  const known = (webhookId: string) => {
    const copy = copies.get(webhookId);
    return copy && msBetween(copy.readAt, world.now()) < staleAfterMs ? copy.health : null;
  };
  return {
    known,
    learn(webhookId, read) {
      // A failure that was recorded meanwhile is newer.
      if (!known(webhookId)) keep(read?.data ?? soundHealth(webhookId));
    },
    async health(webhookId) {
      const copy = known(webhookId);
      if (copy) return copy;
      const [stored = null] = await world.store.get('endpointHealth', [webhookId]);
      return keep(stored?.data ?? soundHealth(webhookId));
    },
    async note(webhookId, outcome, startedAt) {
      const isSuccess = outcome.errorClass === null;
      if (isSuccess && copies.get(webhookId)?.health.failuresInRow === 0) return;
      const before = copies.get(webhookId)?.health;
      const health = keep(await writeHealth(world, webhookId, isSuccess, startedAt));
      if (!isSuccess && health.timesOpened > (before?.timesOpened ?? 0)) {
        const { failuresInRow, openUntil } = health;
        world.log.warn('endpoint.circuit-opened', { webhookId, failuresInRow, openUntil });
      }
      if (outcome.isGone) await disable(world, webhookId, 'It answered 410 Gone.');
      else if (isGivenUp(health, world.now(), world.waits)) {
        await disable(world, webhookId, `It has only failed since ${health.failingSince}.`);
      }
    },
  };
}

async function writeHealth(
  world: World,
  webhookId: string,
  isSuccess: boolean,
  startedAt: Instant,
): Promise<EndpointHealth> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('endpointHealth', [webhookId]);
    const before = stored?.data ?? soundHealth(webhookId);
    const health = isSuccess ? soundHealth(webhookId) : afterFailure(before, startedAt, world.now(), world.waits);
    if (isSuccess && before.failuresInRow === 0) return { writes: [], wakes: [], answer: before };
    return { writes: [put('endpointHealth', webhookId, health, stored)], wakes: [], answer: health };
  });
}

/** Disables an endpoint for a reason of the service, and notifies `operations` once. */
async function disable(world: World, webhookId: string, reason: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('webhooks', [webhookId]);
    if (!stored?.data.isEnabled) return { writes: [], wakes: [], answer: undefined };
    const now = world.now();
    const version = stored.data.version + 1;
    const data: Webhook = { ...stored.data, isEnabled: false, disabledReason: reason, changedAt: now, version };
    const notice = noticeOf(disabledNotice(data, reason), now);
    const writes: Write[] = [
      { kind: 'replace', in: 'webhooks', id: webhookId, data, revision: stored.revision },
      await revisionWrite(world.store),
      notice.write,
    ];
    world.log.warn('endpoint.disabled', { webhookId, reason });
    return { writes, wakes: [notice.wake], answer: undefined };
  });
}

function disabledNotice(
  { webhookId, url, version }: Webhook,
  reason: string,
): Pick<Notice, 'noticeId' | 'kind' | 'text'> {
  const text = `The webhook endpoint ${webhookId} at ${new URL(url).host} was disabled: ${reason} Its deliveries are held and can be replayed.`;
  const noticeId = `endpoint-disabled-${webhookId}-${version}`;
  return { noticeId, kind: 'endpoint-disabled', text };
}
