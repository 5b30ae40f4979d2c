/** How an event gets from its sender to a receiver: ours, or a peer's. */
export type Way = {
  name: string;
  /** What it does not do that ours does, or how it was set up. */
  about: string;
  /** Takes an event for an endpoint. Settles when it is kept: from then on its deliveries are in the outbox. */
  accept(event: string, endpoint: string): Promise<void>;
  /** How many are still on their way; cheap to ask. */
  onTheWay(): Promise<number>;
  /** What became of all that it has accepted, by what it keeps. */
  ledger(): Promise<Ledger>;
  /** CPU of what keeps its data, in milliseconds since it started; 0 where that is part of this process. */
  storeCpuMs(): number;
  stop(): Promise<void>;
};

/** Every accepted event is in one of them. `waiting`: still to be tried, first or again. */
export type Ledger = { delivered: number; failed: number; held: number; waiting: number };

/** Where events go: one receiver whose paths are the endpoints. */
export type Target = { port: number; certificate: string; endpoints: string[]; timeoutSeconds: number };

/** Requests in flight at a time: what each peer is told to have at most. */
export const concurrency = 50;

/** A body like a detection's, a little over 1 KB, that names its event. */
export function bodyOf(event: string, endpoint: string): object {
  return { eventType: 'detection', session: { id: event }, endpoint, text: 'x'.repeat(900) };
}
