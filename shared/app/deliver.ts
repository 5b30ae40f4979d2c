import type { Delivery } from '../domain/delivery.ts';
import { held, jitterOf, postponed } from '../domain/delivery-decision.ts';
import { flightLimit, returnAt } from '../domain/endpoint-health.ts';
import { msBetween, plus } from '../domain/time.ts';
import type { Webhook } from '../domain/webhook.ts';
import { heldSinceDisabled, heldSinceNarrowed } from '../domain/webhook-events.ts';
import { takesGroup } from '../domain/webhook-filter.ts';
import { makeAttempt, replace, type Senders } from './attempt.ts';
import { wakeAll } from './commit.ts';
import { deliveryWakes } from './delivery-wakes.ts';
import { createEndpointGate } from './endpoint-gate.ts';
import { createEndpointWatch, type EndpointWatch } from './endpoint-watch.ts';
import type { Stored, World } from './ports.ts';

/** What came of a call: `idle` where nothing was due. */
export type DeliverResult = 'delivered' | 'failed' | 'retried' | 'held' | 'postponed' | 'idle';

/** Makes attempts, and knows how many are in flight for each endpoint of this process. */
export type DeliveryDesk = { attempt(deliveryId: string): Promise<DeliverResult> };

/** An alarm may ring this early by a difference of clocks; waiting is cheaper than being found by the sweep. */
const earlyMs = 1000;

/** @param elapsedMs a clock that only goes forward */
export function createDeliveryDesk(world: World, senders: Senders, elapsedMs: () => number): DeliveryDesk {
  const gate = createEndpointGate(elapsedMs);
  const watch = createEndpointWatch(world);
  const attemptOrWatch = async (stored: Stored<'deliveries'>, endpoint: Webhook | null) => {
    const made = await makeAttempt({ world, senders, elapsedMs }, stored, endpoint);
    // Another was first, or our lease was written and its answer lost: either way an alarm must stand for it.
    if (!made) await loadDue(world, stored.id);
    return made;
  };
  const toEndpoint = async (stored: Stored<'deliveries'>, webhookId: string): Promise<DeliverResult> => {
    const [endpoint = null] = await world.store.get('webhooks', [webhookId]);
    const obstacle = await obstacleOf(world, watch, stored.data, endpoint?.data ?? null);
    if (obstacle) return settle(world, stored, obstacle);
    const admission = await gate.enter(webhookId, flightLimit(await watch.health(webhookId)));
    if (admission.kind === 'busy') {
      return settle(world, stored, postponed(stored.data, plus(world.now(), admission.waitMs)));
    }
    try {
      const made = await attemptOrWatch(stored, endpoint?.data ?? null);
      if (!made) return 'idle';
      await watch.note(webhookId, made.outcome, made.attempt.at);
      return resultOf(made.delivery);
    } finally {
      admission.leave();
    }
  };
  return {
    async attempt(deliveryId) {
      const stored = await loadDue(world, deliveryId);
      if (!stored) return 'idle';
      if (stored.data.webhookId !== null) return toEndpoint(stored, stored.data.webhookId);
      const made = await attemptOrWatch(stored, null);
      return made ? resultOf(made.delivery) : 'idle';
    },
  };
}

function resultOf({ status }: Delivery): DeliverResult {
  return status === 'pending' ? 'retried' : status === 'dismissed' ? 'failed' : status;
}

async function loadDue(world: World, deliveryId: string): Promise<Stored<'deliveries'> | null> {
  const [stored = null] = await world.store.get('deliveries', [deliveryId]);
  const dueAt = stored?.data.status === 'pending' ? stored.data.dueAt : null;
  if (!stored || !dueAt) return null;
  const ahead = msBetween(world.now(), dueAt);
  if (ahead <= 0) return stored;
  if (ahead <= earlyMs) {
    await new Promise((resolve) => setTimeout(resolve, ahead));
    if (dueAt <= world.now()) return stored;
  }
  // Another process is at it and may die; or one has died that was to set the alarm of the next attempt.
  await wakeOne(world, stored.data);
  return null;
}

/**
 * What becomes of a delivery that may not be sent now; null: it may. A test goes out whatever the state of the endpoint: it is made to find
 * out. What an endpoint owes from before its groups were narrowed waits for a person: who limits it by now may have changed its address.
 */
async function obstacleOf(
  world: World,
  watch: EndpointWatch,
  delivery: Delivery,
  endpoint: Webhook | null,
): Promise<Delivery | null> {
  if (!endpoint) return held(delivery, 'The endpoint was deleted.');
  if (delivery.eventType === 'test') return null;
  if (!endpoint.isEnabled) return held(delivery, heldSinceDisabled);
  if (!takesGroup(endpoint.filter, delivery.groupId)) return held(delivery, heldSinceNarrowed);
  const health = await watch.health(endpoint.webhookId);
  const backAt = returnAt(health, jitterOf(delivery, health.timesOpened), world.now(), world.waits);
  return backAt === null ? null : postponed(delivery, backAt);
}

/** Puts a delivery off or on hold; when another was first, what that one decided stands. */
async function settle(world: World, { id, revision }: Stored<'deliveries'>, next: Delivery): Promise<DeliverResult> {
  const written = await replace(world, id, next, revision);
  if (!written) return 'idle';
  await wakeOne(world, next);
  return next.status === 'held' ? 'held' : 'postponed';
}

async function wakeOne(world: World, delivery: Delivery): Promise<void> {
  await wakeAll(world, deliveryWakes([delivery]));
}
