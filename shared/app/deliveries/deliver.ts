import { droppedFor, held, jitterOf, postponed } from '../../domain/delivery/decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { behindTrial, flightLimit, isPaused, returnAt } from '../../domain/delivery/endpoint-health.ts';
import { isOvertaken } from '../../domain/delivery/sequence.ts';
import type { Webhook } from '../../domain/delivery/webhook.ts';
import { reasonToHold } from '../../domain/delivery/webhook-events.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { wakeAll } from '../commit/commit.ts';
import { pause, type Stored, type World } from '../ports.ts';
import { type AttemptParts, type AttemptResult, makeAttempt, putOff, replace, type Senders } from './attempt.ts';
import { releaseHeld } from './challenge.ts';
import { type ChannelWatch, createChannelWatch } from './channel-watch.ts';
import {
  type CircuitBreaker,
  type ConcurrencyLimiter,
  createCircuitBreaker,
  createConcurrencyLimiter,
  type EgressWitness,
  noWitness,
} from './dispatch-guards.ts';

import { leaveInTurn } from './handoff/leave-in-turn.ts';
import { createPace, type Pace } from './handoff/pace.ts';
import { leaveToPeople } from './leave.ts';
import { deliveryWakes } from './wakes.ts';

/** The result of a call: `idle` if nothing was due, `not_attempted` if nothing outside answers. */
export type DeliverResult =
  | 'delivered'
  | 'failed'
  | 'retried'
  | 'held'
  | 'postponed'
  | 'dismissed'
  | 'not_attempted'
  | 'idle';

/** The dispatcher: makes attempts, and counts the attempts in flight for each endpoint in this process. */
export type Dispatcher = {
  /** @param webhookId the endpoint that the wake names, so that it is read together with the delivery; a wrong one only costs a read */
  attempt(deliveryId: string, webhookId?: string | null): Promise<DeliverResult>;
};

/** A due delivery with its endpoint. `undefined` if the endpoint was not read, because its circuit is known to be open. */
type Due = { stored: Stored<'deliveries'>; endpoint: Webhook | null | undefined };

/** A wake may come this early when clocks differ. Waiting is cheaper than leaving the delivery to the sweep. */
const earlyMs = 1000;
/** Timeout for a hand-off's answer. */
const handoffTimeoutMs = 10_000;

/**
 * @param elapsedMs a monotonic clock
 * @param egress distinguishes failures of targets from our own
 */
export function createDispatcher(
  world: World,
  senders: Senders,
  elapsedMs: () => number,
  egress: EgressWitness = noWitness,
): Dispatcher {
  const limiter = createConcurrencyLimiter(world, elapsedMs);
  const breaker = createCircuitBreaker(world);
  const channels = createChannelWatch(world);
  const pace = createPace(world);
  const lanes = { world, limiter, breaker, channels };
  const attemptIfReachable = async (stored: Stored<'deliveries'>, endpoint: Webhook | null) => {
    const seat = await egress.enter();
    try {
      const made = seat
        ? await attemptOf({ world, senders, elapsedMs, egress, channels }, stored, endpoint, pace)
        : await putOff(world, stored);
      // Another process was first, or our write took effect and its answer was lost. In both cases a wake must exist.
      if (!made) await loadDue(lanes, stored.id, stored.data.webhookId);
      return made;
    } finally {
      seat?.leave();
    }
  };
  const toEndpoint = async ({ stored, endpoint: loaded }: Due, webhookId: string): Promise<DeliverResult> => {
    const delivery = stored.data;
    const waiting = await duringPause(world, breaker, delivery, webhookId);
    if (waiting) return settle(world, stored, waiting);
    const endpoint = loaded === undefined ? await loadEndpoint(world, webhookId) : loaded;
    if (endpoint && isOvertaken(delivery, endpoint))
      return settle(world, stored, droppedFor(delivery, 'overtaken', null, world.now()));
    const reason = reasonToHold(delivery, endpoint);
    if (reason !== null) return settle(world, stored, held(delivery, reason));
    const timeoutMs = (endpoint?.timeoutSeconds ?? 0) * 1000;
    return inFlight(lanes, stored, { id: webhookId, timeoutMs }, () => attemptIfReachable(stored, endpoint));
  };
  const toHandoff = async (stored: Stored<'deliveries'>, handoffId: string): Promise<DeliverResult> => {
    const waiting = await duringPause(world, breaker, stored.data, handoffId);
    if (waiting) return settle(world, stored, waiting);
    return inFlight(lanes, stored, { id: handoffId, timeoutMs: handoffTimeoutMs }, () =>
      attemptIfReachable(stored, null),
    );
  };
  return {
    async attempt(deliveryId, webhookId = null) {
      const due = await loadDue(lanes, deliveryId, webhookId);
      if (!due) return 'idle';
      if (due.stored.data.webhookId !== null) return toEndpoint(due, due.stored.data.webhookId);
      const { target } = due.stored.data;
      if (target.kind === 'handoff') return toHandoff(due.stored, target.handoffId);
      const made = await attemptIfReachable(due.stored, null);
      if (made?.kind === 'attempted' && made.delivery.end) await channels.count(deliveryId);
      return resultOf(made);
    },
  };
}

type Lanes = { world: World; limiter: ConcurrencyLimiter; breaker: CircuitBreaker; channels: ChannelWatch };

/** Makes an attempt if the receiver has a free place, and reports the result to the circuit breaker. */
async function inFlight(
  { world, limiter, breaker }: Lanes,
  stored: Stored<'deliveries'>,
  { id, timeoutMs }: { id: string; timeoutMs: number },
  attempt: () => Promise<AttemptResult | null>,
): Promise<DeliverResult> {
  const delivery = stored.data;
  const admission = await limiter.enter(id, sourceOf(delivery), flightLimit(await breaker.health(id)));
  if (admission.kind === 'busy') {
    const turnAt = await turnOf(world, breaker, delivery, { webhookId: id, timeoutMs, waitMs: admission.waitMs });
    return settle(world, stored, postponed(delivery, turnAt));
  }
  try {
    // The attempts that this one waited for may have opened the circuit.
    const late = await duringPause(world, breaker, delivery, id);
    if (late) return await settle(world, stored, late);
    const made = await attempt();
    // A template that cannot be filled says nothing about the receiver.
    const isHeard = made?.kind === 'attempted' && made.outcome.errorClass !== 'template_failed';
    if (isHeard) await breaker.note(id, made);
    return resultOf(made);
  } finally {
    admission.leave();
  }
}

/** The key of deliveries that share one turn at a receiver. A camera's alert does not wait behind the camera's detections. */
function sourceOf({ eventType, deviceId }: Delivery): string {
  return `${eventType} ${deviceId}`;
}

/**
 * Chooses how a delivery is sent: a message to people uses its target's budget and must still be true; an event for a hand-off waits for its turn.
 */
function attemptOf(
  parts: AttemptParts,
  stored: Stored<'deliveries'>,
  endpoint: Webhook | null,
  pace: Pace,
): Promise<AttemptResult | null> {
  if (stored.data.handoff) return leaveInTurn(parts, stored, pace);
  return stored.data.slot ? leaveToPeople(parts, stored) : makeAttempt(parts, stored, endpoint);
}

function resultOf(made: AttemptResult | null): DeliverResult {
  if (!made) return 'idle';
  if (made.kind === 'settled') {
    const { status } = made.delivery;
    return status === 'dismissed' || status === 'held' ? status : 'postponed';
  }
  if (made.kind === 'put-off') return 'not_attempted';
  const { status } = made.delivery;
  return status === 'pending' ? 'retried' : status === 'dismissed' ? 'failed' : status;
}

async function loadDue(
  lanes: Omit<Lanes, 'limiter'>,
  deliveryId: string,
  webhookId: string | null,
  mayWait = true,
): Promise<Due | null> {
  const { world } = lanes;
  const due = await loadComplete(lanes, deliveryId, webhookId);
  const dueAt = due?.stored.data.status === 'pending' ? due.stored.data.dueAt : null;
  if (!due || !dueAt) return null;
  const ahead = msBetween(world.now(), dueAt);
  if (ahead <= 0) return due;
  if (ahead <= earlyMs && mayWait) {
    await pause(world, ahead);
    return loadDue(lanes, deliveryId, webhookId, false);
  }
  // Another process is working on it and may die, or a process died before it set the wake of the next attempt.
  await wakeOne(world, due.stored.data);
  return null;
}

/** Reads the delivery, after what a process that died after an attempt has left to do. */
async function loadComplete(
  { world, breaker, channels }: Omit<Lanes, 'limiter'>,
  deliveryId: string,
  webhookId: string | null,
): Promise<Due | null> {
  const due = await load(world, breaker, deliveryId, webhookId);
  const { data } = due?.stored ?? {};
  if (data?.eventType === 'challenge' && data.status === 'delivered' && data.webhookId !== null) {
    await releaseHeld(world, data.webhookId);
  }
  if (!data?.end) return due;
  await channels.count(deliveryId);
  return load(world, breaker, deliveryId, webhookId);
}

/** Reads the delivery and its endpoint, in one round trip where the wake names the endpoint. */
async function load(
  world: World,
  breaker: CircuitBreaker,
  deliveryId: string,
  webhookId: string | null,
): Promise<Due | null> {
  const health = webhookId === null ? null : breaker.known(webhookId);
  const isOff = health !== null && isPaused(health, world.now());
  const found = await world.store.getMany({
    deliveries: [deliveryId],
    webhooks: webhookId === null || isOff ? [] : [webhookId],
    endpointHealth: webhookId === null || health ? [] : [webhookId],
  });
  const [[stored = null], [endpoint = null], [read]] = [found.deliveries, found.webhooks, found.endpointHealth];
  if (webhookId !== null && read !== undefined) breaker.learn(webhookId, read);
  if (!stored) return null;
  const named = stored.data.webhookId;
  if (named !== webhookId) return named === null ? { stored, endpoint: null } : load(world, breaker, deliveryId, named);
  return { stored, endpoint: isOff ? undefined : (endpoint?.data ?? null) };
}

async function loadEndpoint({ store }: World, webhookId: string): Promise<Webhook | null> {
  const [endpoint = null] = await store.get('webhooks', [webhookId]);
  return endpoint?.data ?? null;
}

/** The delivery postponed to the end of its receiver's pause. Null: there is no pause, or it is a test or a challenge, which is sent at any time. */
async function duringPause(
  world: World,
  breaker: CircuitBreaker,
  delivery: Delivery,
  webhookId: string,
): Promise<Delivery | null> {
  if (delivery.eventType === 'test' || delivery.eventType === 'challenge') return null;
  const health = await breaker.health(webhookId);
  const backAt = returnAt(health, jitterOf(delivery, health.timesOpened), world.now(), world.waits);
  return backAt === null ? null : postponed(delivery, backAt);
}

/** When a delivery tries again for which the concurrency limit had no place. */
async function turnOf(
  world: World,
  breaker: CircuitBreaker,
  delivery: Delivery,
  { webhookId, timeoutMs, waitMs }: { webhookId: string; timeoutMs: number; waitMs: number },
): Promise<Instant> {
  const health = await breaker.health(webhookId);
  const share = jitterOf(delivery, health.timesOpened);
  return behindTrial(health, share, world.now(), timeoutMs, world.waits) ?? plus(world.now(), waitMs);
}

/** Postpones or holds a delivery. When another process was first, its decision stays. */
async function settle(world: World, { id, revision }: Stored<'deliveries'>, next: Delivery): Promise<DeliverResult> {
  const written = await replace(world, id, next, revision);
  if (!written) return 'idle';
  await wakeOne(world, next);
  return next.status === 'held' || next.status === 'dismissed' ? next.status : 'postponed';
}

async function wakeOne(world: World, delivery: Delivery): Promise<void> {
  await wakeAll(world, deliveryWakes([delivery]));
}
