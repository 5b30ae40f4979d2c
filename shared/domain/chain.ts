import { type Instant, msBetween, plus } from './time.ts';

/**
 * A state that certain events start, that each further event prolongs, and that ends after a quiet time. Times are cloud times in rising
 * order.
 */
export type Chain = { isOpen: boolean; lastAt: Instant | null };

export const closedChain: Chain = { isOpen: false, lastAt: null };

/** The chain after one more event. `quietMs`: how long no event may come before it ends. */
export function prolonged({ isOpen, lastAt }: Chain, at: Instant, opens: boolean, quietMs: number): Chain {
  const isStillOpen = isOpen && lastAt !== null && msBetween(lastAt, at) < quietMs;
  return { isOpen: isStillOpen || opens, lastAt: at };
}

/** When the chain ends if no further event comes. Null where it is not open. */
export function chainEndsAt({ isOpen, lastAt }: Chain, quietMs: number): Instant | null {
  return isOpen && lastAt !== null ? plus(lastAt, quietMs) : null;
}
