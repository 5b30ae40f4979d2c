import type { Attempt, Delivery, SendOutcome } from '../../domain/delivery/delivery.ts';
import {
  afterFailure,
  isFailingForSure,
  isGivenUp,
  isSilence,
  provesWayOut,
  soundHealth,
  withFailedEvent,
} from '../../domain/delivery/endpoint-health.ts';
import type { EndpointHealth, Webhook } from '../../domain/delivery/webhook.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { decideAndCommit, put } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';
import { revisionWrite } from '../settings/configuration.ts';
import { failingNews, newsOfEndpoint, recoveredNews } from './endpoint-news.ts';
import { createWayOut, type WayOutParts } from './way-out.ts';

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
  note(webhookId: string, made: EndpointAttempt): Promise<void>;
};
type EndpointAttempt = { delivery: Delivery; outcome: SendOutcome; attempt: Attempt };

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
    async note(webhookId, made) {
      const isSuccess = made.outcome.errorClass === null;
      const copy = copies.get(webhookId)?.health;
      if (isSuccess && copy && isSpotless(copy)) return;
      const health = keep(await writeHealth(world, webhookId, made));
      if (!isSuccess && health.timesOpened > (copy?.timesOpened ?? 0)) {
        const { failuresInRow, openUntil } = health;
        world.log.warn('endpoint.circuit-opened', { webhookId, failuresInRow, openUntil });
      }
      if (made.outcome.isGone) await disable(world, webhookId, 'It answered 410 Gone.');
      else if (isGivenUp(health, world.now(), world.waits)) {
        await disable(world, webhookId, `It has only failed since ${health.failingSince}.`);
      }
    },
  };
}

/** Whether a success changes nothing. */
function isSpotless({ failuresInRow, toldAt }: EndpointHealth): boolean {
  return failuresInRow === 0 && toldAt === null;
}

async function writeHealth(world: World, webhookId: string, made: EndpointAttempt): Promise<EndpointHealth> {
  return decideAndCommit(world, async () => {
    const { endpointHealth, webhooks } = await world.store.getMany({
      endpointHealth: [webhookId],
      webhooks: [webhookId],
    });
    const [stored = null] = endpointHealth;
    const before = stored?.data ?? soundHealth(webhookId);
    if (made.outcome.errorClass === null && isSpotless(before)) return { writes: [], wakes: [], answer: before };
    const health = healthAfter(world, before, made);
    // A hand-off has no such record.
    const webhook = webhooks[0]?.data;
    const now = world.now();
    const isRecovered = before.toldAt !== null && health.toldAt === null;
    const isNew = webhook?.isEnabled && before.toldAt === null && isFailingForSure(health);
    const next = isNew ? { ...health, toldAt: now } : health;
    const news =
      webhook && (isNew || isRecovered)
        ? await newsOfEndpoint(world, webhook, isNew ? failingNews(health, made) : recoveredNews(before), now)
        : { writes: [], wakes: [] };
    return {
      writes: [put('endpointHealth', webhookId, next, stored), ...news.writes],
      wakes: news.wakes,
      answer: next,
    };
  });
}

function healthAfter(world: World, before: EndpointHealth, { outcome, attempt, delivery }: EndpointAttempt) {
  if (outcome.errorClass === null) return soundHealth(before.webhookId);
  const health = afterFailure(before, attempt.at, world.now(), world.waits);
  const { status, eventType, eventId } = delivery;
  const isLost = status === 'failed' && eventType !== 'test' && eventType !== 'challenge';
  return isLost ? withFailedEvent(health, `${eventType} ${eventId}`) : health;
}

/** Disables an endpoint for a reason of the service, and tells of it once. */
async function disable(world: World, webhookId: string, reason: string): Promise<void> {
  await decideAndCommit(world, async () => {
    const read = await world.store.getMany({ webhooks: [webhookId], endpointHealth: [webhookId] });
    const [[stored = null], [health = null]] = [read.webhooks, read.endpointHealth];
    if (!stored?.data.isEnabled) return { writes: [], wakes: [], answer: undefined };
    const now = world.now();
    const version = stored.data.version + 1;
    const data: Webhook = { ...stored.data, isEnabled: false, disabledReason: reason, changedAt: now, version };
    const known = health?.data ?? soundHealth(webhookId);
    const news = await newsOfEndpoint(world, data, { state: 'disabled', since: now, reason }, now);
    const writes: Write[] = [
      { kind: 'replace', in: 'webhooks', id: webhookId, data, revision: stored.revision },
      put('endpointHealth', webhookId, { ...known, toldAt: known.toldAt ?? now }, health),
      await revisionWrite(world.store),
      ...news.writes,
    ];
    world.log.warn('endpoint.disabled', { webhookId, reason });
    return { writes, wakes: news.wakes, answer: undefined };
  });
}

/** A place in flight, or the time to wait before trying again. */
export type DispatchPermit = { kind: 'admitted'; leave(): void } | { kind: 'busy'; waitMs: number };

/**
 * The concurrency limiter: limits the requests in flight for each endpoint within one process, and divides them among the sources of its
 * deliveries. However many deliveries one source has, those of another source do not wait behind them.
 */
export type ConcurrencyLimiter = { enter(key: string, source: string, limit: number): Promise<DispatchPermit> };

type Waiter = { source: string; proceed: () => void };

type Lane = {
  /** The source and the start of each request in flight. */
  inFlight: Set<{ source: string; since: number }>;
  waiting: Waiter[];
  /** How long a request of this endpoint takes, as a moving mean. */
  typicalMs: number;
  /** By source: when the last of its deliveries that were turned away (`busy`) is to try again. */
  promisedUntil: Map<string, number>;
};

/** Deliveries that wait in the process hold a place in the queue of every endpoint, so they are few and wait briefly. */
const maxWaiting = 16;
/** In addition, this many deliveries may wait that are the first of their source. */
const maxFirstWaiting = 4;
const placePatienceMs = 250;
/** The longest wait of a delivery that is turned away, because the endpoint may recover. */
const longestWaitMs = 20_000;
/** How long a place is kept free for a source after its delivery was to try again. Another process may have taken that delivery. */
const keptFreeMs = 1000;

/** @param elapsedMs a monotonic clock */
export function createConcurrencyLimiter(world: Pick<World, 'after'>, elapsedMs: () => number): ConcurrencyLimiter {
  const lanes = new Map<string, Lane>();
  const laneOf = (key: string) => {
    const lane = lanes.get(key) ?? { inFlight: new Set(), waiting: [], typicalMs: 50, promisedUntil: new Map() };
    lanes.set(key, lane);
    return lane;
  };
  const admit = (lane: Lane, source: string): DispatchPermit => {
    const flight = { source, since: elapsedMs() };
    lane.inFlight.add(flight);
    if ((lane.promisedUntil.get(source) ?? 0) <= flight.since) lane.promisedUntil.delete(source);
    return {
      kind: 'admitted',
      leave() {
        if (!lane.inFlight.delete(flight)) return;
        lane.typicalMs += (elapsedMs() - flight.since - lane.typicalMs) / 5;
        letNextProceed(lane);
      },
    };
  };
  return {
    async enter(key, source, limit) {
      const lane = laneOf(key);
      if (!isFree(lane, source, limit, elapsedMs()) && isWorthWaiting(lane, source, limit, elapsedMs())) {
        await turnOf(world, lane, source);
      }
      if (isFree(lane, source, limit, elapsedMs())) return admit(lane, source);
      return { kind: 'busy', waitMs: promisedWait(lane, source, limit, elapsedMs()) };
    },
  };
}

/** A source with a request in flight leaves a place free for each source that has none and wants one. */
function isFree(lane: Lane, source: string, limit: number, now: number): boolean {
  const free = limit - lane.inFlight.size;
  return free > 0 && (!isInFlight(lane, source) || free > without(lane, now));
}

/** The number of sources that have no request in flight and want one. */
function without(lane: Lane, now: number): number {
  for (const [source, until] of lane.promisedUntil) if (until + keptFreeMs < now) lane.promisedUntil.delete(source);
  const wanting = new Set([...lane.promisedUntil.keys(), ...lane.waiting.map(({ source }) => source)]);
  for (const { source } of lane.inFlight) wanting.delete(source);
  return wanting.size;
}

function isInFlight({ inFlight }: Lane, source: string): boolean {
  return [...inFlight].some((flight) => flight.source === source);
}

function letNextProceed(lane: Lane): void {
  const first = lane.waiting.findIndex(({ source }) => !isInFlight(lane, source));
  const [next] = lane.waiting.splice(Math.max(0, first), 1);
  next?.proceed();
}

function isWorthWaiting(lane: Lane, source: string, limit: number, now: number): boolean {
  const isFirst = !isInFlight(lane, source) && !lane.waiting.some((waiter) => waiter.source === source);
  if (lane.waiting.length >= maxWaiting + (isFirst ? maxFirstWaiting : 0)) return false;
  const ahead = isFirst ? without({ ...lane, promisedUntil: new Map() }, now) : lane.waiting.length;
  return (pace(lane, now) * (ahead + 1)) / limit <= placePatienceMs;
}

/** How long a request takes, by the finished requests and by those still in flight. */
function pace({ inFlight, typicalMs }: Lane, now: number): number {
  return Math.max(typicalMs, ...[...inFlight].map(({ since }) => now - since));
}

function turnOf({ after }: Pick<World, 'after'>, lane: Lane, source: string): Promise<void> {
  return new Promise((resolve) => {
    const waiter = {
      source,
      proceed() {
        timer.stop();
        resolve();
      },
    };
    const timer = after(placePatienceMs, () => {
      lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
      resolve();
    });
    lane.waiting.push(waiter);
  });
}

/**
 * How long a delivery is turned away, milliseconds. Those of one source return one after the other, at its share of the pace at which the endpoint
 * takes requests.
 */
function promisedWait(lane: Lane, source: string, limit: number, now: number): number {
  const { promisedUntil } = lane;
  const step = pace(lane, now);
  const own = promisedUntil.get(source) ?? 0;
  const sources = [...promisedUntil].filter(([each, until]) => each === source || until > now).length;
  const share = (step / limit) * Math.max(1, own ? sources : sources + 1);
  const next = Math.max(own, now + Math.max(step, placePatienceMs)) + share;
  promisedUntil.set(source, next - now > longestWaitMs ? now + Math.max(placePatienceMs, step) : next);
  return Math.min(next - now, longestWaitMs);
}

/** Distinguishes a target's failure from a failure of our own outbound connection (decision 0016). */
export type EgressWitness = {
  /** A place for one attempt. Null: nothing outside answers, and enough attempts are already testing this. */
  enter(): Promise<{ leave(): void } | null>;
  /** Sends, and evaluates a silence. @returns null where the silence may be ours, so that no attempt is counted */
  judge(
    delivery: Pick<Delivery, 'channel' | 'targetName'>,
    send: () => Promise<SendOutcome>,
  ): Promise<SendOutcome | null>;
};

/** For a process that trusts its outbound connection: each silence is the target's. */
export const noWitness: EgressWitness = { enter: async () => ({ leave() {} }), judge: (_, send) => send() };

/** Attempts that a process makes at a time while nothing outside answers. Each waits up to its timeout and holds a place in a queue. */
const seatsWhenUnheard = 4;
/** How long the other attempts wait for one of them to get an answer. They do not wait where the connection is known to be down. */
const checkPatienceMs = 1000;
/** An attempt that is unanswered for this long triggers a request to the check address, while the attempt is still in progress. */
const slowMs = 2000;
/**
 * Without a check address, a target's silence counts as ours for its first two minutes, because a cold instance may have no network for up
 * to one minute.
 */
const doubtMs = 120_000;
const mostTargets = 1000;

export function createEgressWitness(parts: WayOutParts): EgressWitness {
  const { check, elapsedMs } = parts;
  const way = createWayOut(parts);
  const silences = createSilences();
  let inFlight = 0;
  const isFull = () => !way.isSound() && inFlight >= seatsWhenUnheard;
  return {
    async enter() {
      if (!way.isSound()) void way.makeSure(elapsedMs());
      if (isFull() && !(check && way.isLost())) await way.untilSound(checkPatienceMs);
      if (isFull()) return null;
      inFlight += 1;
      return {
        leave() {
          inFlight -= 1;
        },
      };
    },
    async judge({ channel, targetName }, send) {
      const startedAt = elapsedMs();
      const outcome = await watched(parts.world, send, () => void way.makeSure(startedAt));
      if (!isSilence(outcome)) {
        silences.end(targetName);
        if (provesWayOut(outcome, channel)) way.hear();
        return outcome;
      }
      if (check) await way.makeSure(startedAt);
      else if (silences.lastMs(targetName, startedAt, elapsedMs()) >= doubtMs) return outcome;
      else if (!way.wasHeardSince(startedAt)) way.lose(startedAt);
      return way.wasLostSince(startedAt) ? null : outcome;
    },
  };
}

async function watched(
  { after }: Pick<World, 'after'>,
  send: () => Promise<SendOutcome>,
  onSlow: () => void,
): Promise<SendOutcome> {
  const timer = after(slowMs, onSlow);
  try {
    return await send();
  } finally {
    timer.stop();
  }
}

/** Tracks how long targets have left consecutive attempts unanswered. */
function createSilences() {
  const silences = new Map<string, { since: number; until: number }>();
  return {
    end: (target: string) => silences.delete(target),
    /** Adds an attempt. @returns how long the silence has lasted so far */
    lastMs(target: string, from: number, until: number): number {
      const before = silences.get(target);
      // A target that was not tried for long may have been silent for another reason then. One that was found dead stays so until it
      // answers.
      const goesOn = before && (from - before.until < doubtMs || before.until - before.since >= doubtMs);
      const since = goesOn ? before.since : from;
      if (silences.size >= mostTargets) silences.clear();
      silences.set(target, { since, until });
      return until - since;
    },
  };
}
