import type { World } from '../ports.ts';

/** A place in flight, or the time to wait before trying again. */
export type Admission = { kind: 'admitted'; leave(): void } | { kind: 'busy'; waitMs: number };

/** The concurrency limiter: limits the requests in flight for each endpoint within one process. */
export type ConcurrencyLimiter = { enter(key: string, limit: number): Promise<Admission> };

type Lane = {
  /** The start of each request in flight. */
  inFlight: Set<{ since: number }>;
  waiting: (() => void)[];
  /** How long a request of this endpoint takes, as a moving mean. */
  typicalMs: number;
  /** Until when places are promised to the deliveries that were sent away. */
  promisedUntil: number;
};

/** Deliveries that wait in the process hold a place in the queue of every endpoint, so they are few and wait briefly. */
const maxWaiting = 16;
const patienceMs = 250;
/** The longest wait for a delivery that is sent away, because the endpoint may recover. */
const longestWaitMs = 20_000;

/** @param elapsedMs a monotonic clock */
export function createConcurrencyLimiter(world: Pick<World, 'after'>, elapsedMs: () => number): ConcurrencyLimiter {
  const lanes = new Map<string, Lane>();
  const laneOf = (key: string) => {
    const lane = lanes.get(key) ?? { inFlight: new Set(), waiting: [], typicalMs: 50, promisedUntil: 0 };
    lanes.set(key, lane);
    return lane;
  };
  const admit = (lane: Lane): Admission => {
    const flight = { since: elapsedMs() };
    lane.inFlight.add(flight);
    return {
      kind: 'admitted',
      leave() {
        if (!lane.inFlight.delete(flight)) return;
        lane.typicalMs += (elapsedMs() - flight.since - lane.typicalMs) / 5;
        lane.waiting.shift()?.();
      },
    };
  };
  return {
    async enter(key, limit) {
      const lane = laneOf(key);
      if (lane.inFlight.size >= limit && isWorthWaiting(lane, limit, elapsedMs())) await turnOf(world, lane);
      if (lane.inFlight.size < limit) return admit(lane);
      return { kind: 'busy', waitMs: promisedWait(lane, limit, elapsedMs()) };
    },
  };
}

function isWorthWaiting(lane: Lane, limit: number, now: number): boolean {
  if (lane.waiting.length >= maxWaiting) return false;
  return (pace(lane, now) * (lane.waiting.length + 1)) / limit <= patienceMs;
}

/** How long a request takes, by the finished requests and by those still in flight. */
function pace({ inFlight, typicalMs }: Lane, now: number): number {
  return Math.max(typicalMs, ...[...inFlight].map(({ since }) => now - since));
}

function turnOf({ after }: Pick<World, 'after'>, lane: Lane): Promise<void> {
  return new Promise((resolve) => {
    const proceed = () => {
      timer.stop();
      resolve();
    };
    const timer = after(patienceMs, () => {
      lane.waiting.splice(lane.waiting.indexOf(proceed), 1);
      resolve();
    });
    lane.waiting.push(proceed);
  });
}

/** Deliveries that are sent away return one by one, as fast as the endpoint takes them. */
function promisedWait(lane: Lane, limit: number, now: number): number {
  const step = pace(lane, now);
  const next = Math.max(lane.promisedUntil, now + Math.max(step, patienceMs)) + step / limit;
  lane.promisedUntil = next - now > longestWaitMs ? now + Math.max(patienceMs, step) : next;
  return Math.min(next - now, longestWaitMs);
}
