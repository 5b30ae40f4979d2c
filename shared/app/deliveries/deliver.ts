import { held, jitterOf, postponed } from '../../domain/delivery/decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { behindTrial, flightLimit, isPaused, returnAt } from '../../domain/delivery/endpoint-health.ts';
import { reasonToWait, type Webhook } from '../../domain/delivery/webhook.ts';
import { heldSinceNarrowed } from '../../domain/delivery/webhook-events.ts';
import { takesGroup } from '../../domain/delivery/webhook-filter.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { wakeAll } from '../commit/commit.ts';
import { pause, type Stored, type World } from '../ports.ts';
import { type AttemptParts, type Made, makeAttempt, putOff, replace, type Senders } from './attempt.ts';
import { type EgressWitness, noWitness } from './egress-witness.ts';
import { createEndpointGate } from './endpoint-gate.ts';
import { createEndpointWatch, type EndpointWatch } from './endpoint-watch.ts';
import { leaveToPeople } from './leave.ts';
import { deliveryWakes } from './wakes.ts';

/** What came of a call: `idle` where nothing was due, `not_attempted` where nothing was heard outside. */
export type DeliverResult =
  | 'delivered'
  | 'failed'
  | 'retried'
  | 'held'
  | 'postponed'
  | 'dismissed'
  | 'not_attempted'
  | 'idle';

/** Makes attempts, and knows how many are in flight for each endpoint of this process. */
export type DeliveryDesk = {
  /** @param webhookId the endpoint that the alarm names, so that it is read together with the delivery; a wrong one only costs a read */
  attempt(deliveryId: string, webhookId?: string | null): Promise<DeliverResult>;
};

/** What is due, with its endpoint; `undefined` where that was not read, since its circuit is known to be open. */
type Due = { stored: Stored<'deliveries'>; endpoint: Webhook | null | undefined };

/** An alarm may ring this early by a difference of clocks; waiting is cheaper than being found by the sweep. */
const earlyMs = 1000;

/**
 * @param elapsedMs a clock that only goes forward
 * @param egress tells the failures of targets from ours
 */
export function createDeliveryDesk(
  world: World,
  senders: Senders,
  elapsedMs: () => number,
  egress: EgressWitness = noWitness,
): DeliveryDesk {
  const gate = createEndpointGate(world, elapsedMs);
  const watch = createEndpointWatch(world);
  const attemptOrWatch = async (stored: Stored<'deliveries'>, endpoint: Webhook | null) => {
    const seat = await egress.enter();
    try {
      const made = seat
        ? await attemptOf({ world, senders, elapsedMs, egress }, stored, endpoint)
        : await putOff(world, stored);
      // Another was first, or what we wrote took effect and its answer was lost: either way an alarm must stand for it.
      if (!made) await loadDue(world, watch, stored.id, stored.data.webhookId);
      return made;
    } finally {
      seat?.leave();
    }
  };
  const toEndpoint = async ({ stored, endpoint: loaded }: Due, webhookId: string): Promise<DeliverResult> => {
    const delivery = stored.data;
    const waiting = await duringPause(world, watch, delivery, webhookId);
    if (waiting) return settle(world, stored, waiting);
    const endpoint = loaded === undefined ? await loadEndpoint(world, webhookId) : loaded;
    const reason = reasonToHold(delivery, endpoint);
    if (reason !== null) return settle(world, stored, held(delivery, reason));
    const admission = await gate.enter(webhookId, flightLimit(await watch.health(webhookId)));
    if (admission.kind === 'busy') {
      const timeoutMs = (endpoint?.timeoutSeconds ?? 0) * 1000;
      const turnAt = await turnOf(world, watch, delivery, { webhookId, timeoutMs, waitMs: admission.waitMs });
      return settle(world, stored, postponed(delivery, turnAt));
    }
    try {
      // Those that it waited for may have opened the circuit.
      const late = await duringPause(world, watch, delivery, webhookId);
      if (late) return await settle(world, stored, late);
      const made = await attemptOrWatch(stored, endpoint);
      if (made?.kind === 'attempted') await watch.note(webhookId, made.outcome, made.attempt.at);
      return resultOf(made);
    } finally {
      admission.leave();
    }
  };
  return {
    async attempt(deliveryId, webhookId = null) {
      const due = await loadDue(world, watch, deliveryId, webhookId);
      if (!due) return 'idle';
      if (due.stored.data.webhookId !== null) return toEndpoint(due, due.stored.data.webhookId);
      return resultOf(await attemptOrWatch(due.stored, null));
    },
  };
}

/** What goes to people leaves by the budget of its target, and only while it is true. */
function attemptOf(parts: AttemptParts, stored: Stored<'deliveries'>, endpoint: Webhook | null): Promise<Made | null> {
  return stored.data.slot ? leaveToPeople(parts, stored) : makeAttempt(parts, stored, endpoint);
}

function resultOf(made: Made | null): DeliverResult {
  if (!made) return 'idle';
  if (made.kind === 'settled') return made.delivery.status === 'dismissed' ? 'dismissed' : 'postponed';
  if (made.kind === 'put-off') return 'not_attempted';
  const { status } = made.delivery;
  return status === 'pending' ? 'retried' : status === 'dismissed' ? 'failed' : status;
}

async function loadDue(
  world: World,
  watch: EndpointWatch,
  deliveryId: string,
  webhookId: string | null,
  mayWait = true,
): Promise<Due | null> {
  const due = await load(world, watch, deliveryId, webhookId);
  const dueAt = due?.stored.data.status === 'pending' ? due.stored.data.dueAt : null;
  if (!due || !dueAt) return null;
  const ahead = msBetween(world.now(), dueAt);
  if (ahead <= 0) return due;
  if (ahead <= earlyMs && mayWait) {
    await pause(world, ahead);
    return loadDue(world, watch, deliveryId, webhookId, false);
  }
  // Another process is at it and may die; or one has died that was to set the alarm of the next attempt.
  await wakeOne(world, due.stored.data);
  return null;
}

/** The delivery with what is needed of its endpoint, in one round trip where the alarm named it. */
async function load(
  world: World,
  watch: EndpointWatch,
  deliveryId: string,
  webhookId: string | null,
): Promise<Due | null> {
  const health = webhookId === null ? null : watch.known(webhookId);
  const isOff = health !== null && isPaused(health, world.now());
  const found = await world.store.getMany({
    deliveries: [deliveryId],
    webhooks: webhookId === null || isOff ? [] : [webhookId],
    endpointHealth: webhookId === null || health ? [] : [webhookId],
  });
  const [[stored = null], [endpoint = null], [read]] = [found.deliveries, found.webhooks, found.endpointHealth];
  if (webhookId !== null && read !== undefined) watch.learn(webhookId, read);
  if (!stored) return null;
  const named = stored.data.webhookId;
  if (named !== webhookId) return named === null ? { stored, endpoint: null } : load(world, watch, deliveryId, named);
  return { stored, endpoint: isOff ? undefined : (endpoint?.data ?? null) };
}

async function loadEndpoint({ store }: World, webhookId: string): Promise<Webhook | null> {
  const [endpoint = null] = await store.get('webhooks', [webhookId]);
  return endpoint?.data ?? null;
}

/** The delivery as it waits for the end of its endpoint's pause; null: there is none. What is made to find out goes out all the same. */
async function duringPause(
  world: World,
  watch: EndpointWatch,
  delivery: Delivery,
  webhookId: string,
): Promise<Delivery | null> {
  if (delivery.eventType === 'test' || delivery.eventType === 'challenge') return null;
  const health = await watch.health(webhookId);
  const backAt = returnAt(health, jitterOf(delivery, health.timesOpened), world.now(), world.waits);
  return backAt === null ? null : postponed(delivery, backAt);
}

/** When a delivery comes back for which there was no place among those in flight. */
async function turnOf(
  world: World,
  watch: EndpointWatch,
  delivery: Delivery,
  { webhookId, timeoutMs, waitMs }: { webhookId: string; timeoutMs: number; waitMs: number },
): Promise<Instant> {
  const health = await watch.health(webhookId);
  const share = jitterOf(delivery, health.timesOpened);
  return behindTrial(health, share, world.now(), timeoutMs, world.waits) ?? plus(world.now(), waitMs);
}

/**
 * Why a delivery may not be sent at all; null: it may. A challenge goes out whatever the state of the endpoint, a test only to one that has
 * proven itself. What an endpoint owes from before its groups were narrowed waits for a person: who limits it by now may have changed its
 * address.
 */
function reasonToHold(delivery: Delivery, endpoint: Webhook | null): string | null {
  if (!endpoint) return 'The endpoint was deleted.';
  if (delivery.eventType === 'challenge') return null;
  const isTest = delivery.eventType === 'test';
  const reason = reasonToWait(isTest ? { ...endpoint, isEnabled: true } : endpoint);
  if (isTest || reason !== null) return reason;
  if (delivery.eventType === 'audit' && !endpoint.isMadeByLimited) return null;
  return takesGroup(endpoint.filter, delivery.groupId) ? null : heldSinceNarrowed;
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
