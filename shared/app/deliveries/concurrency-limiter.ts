import type { World } from '../ports.ts';

/** A place in flight, or the time to wait before trying again. */
export type Admission = { kind: 'admitted'; leave(): void } | { kind: 'busy'; waitMs: number };

/**
 * The concurrency limiter: limits the requests in flight for each endpoint within one process, and divides them among the sources of its
 * deliveries. However many deliveries one source has, those of another source do not wait behind them.
 */
export type ConcurrencyLimiter = { enter(key: string, source: string, limit: number): Promise<Admission> };

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
const patienceMs = 250;
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
  const admit = (lane: Lane, source: string): Admission => {
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
  return (pace(lane, now) * (ahead + 1)) / limit <= patienceMs;
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
    const timer = after(patienceMs, () => {
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
  const next = Math.max(own, now + Math.max(step, patienceMs)) + share;
  promisedUntil.set(source, next - now > longestWaitMs ? now + Math.max(patienceMs, step) : next);
  return Math.min(next - now, longestWaitMs);
}
