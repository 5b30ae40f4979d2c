import { v5 as uuidv5 } from 'uuid';
import type { Instant } from '../time.ts';
import type { Delivery } from './delivery.ts';

/**
 * Deliveries that do not fit into one commit. They are written as one record beside the state that caused them, and created from it part by
 * part. All have one event and one body. The record is deleted with the last part.
 */
export type FanOut = {
  fanOutId: string;
  body: string;
  /** The deliveries without their body, as text: the members that they share, and the own members of each. */
  deliveries: string;
  count: number;
  /** How many of them have been created. */
  made: number;
  dueAt: Instant;
  version: number;
};

type Packed = { shared: Partial<Delivery>; each: Partial<Delivery>[] };

/** Limits of the deliveries in one commit, far below the store's 500 writes and 10 MiB, even where a character takes three bytes. */
export const partLimits = { writes: 300, bytes: 3 * 1024 * 1024 } as const;
/** Estimated size of a delivery without its body, bytes. */
const deliveryBytes = 2048;

const namespace = '6a0f9d5e-3c55-5b0e-8f0d-70d0a3b6c511';

/** Size of deliveries as they are written, bytes, with one byte for each character. */
export function bytesOf(deliveries: readonly Pick<Delivery, 'body'>[]): number {
  return deliveries.reduce((sum, { body }) => sum + body.length + deliveryBytes, 0);
}

/** Packs deliveries that share one body into a record. The same deliveries give the same record. */
export function fanOutOf(deliveries: readonly [Delivery, ...Delivery[]], now: Instant): FanOut {
  const [first] = deliveries;
  const members = (Object.keys(first) as (keyof Delivery)[]).filter((member) => member !== 'body');
  const isShared = (member: keyof Delivery) =>
    deliveries.every((each) => JSON.stringify(each[member]) === JSON.stringify(first[member]));
  const shared = new Set(members.filter(isShared));
  const own = members.filter((member) => !shared.has(member));
  const packed: Packed = { shared: only(first, [...shared]), each: deliveries.map((each) => only(each, own)) };
  return {
    fanOutId: uuidv5(JSON.stringify(deliveries.map(({ deliveryId }) => deliveryId)), namespace),
    body: first.body,
    deliveries: JSON.stringify(packed),
    count: deliveries.length,
    made: 0,
    dueAt: now,
    version: 1,
  };
}

/** The deliveries for the next commit, and the record after it. Null: they are the last. */
export function nextPart(fanOut: FanOut): { part: Delivery[]; rest: FanOut | null } {
  const { body, made, count } = fanOut;
  const { shared, each } = JSON.parse(fanOut.deliveries) as Packed;
  const size = Math.max(1, Math.min(partLimits.writes, Math.floor(partLimits.bytes / bytesOf([{ body }]))));
  const part = each.slice(made, made + size).map((own) => ({ ...shared, ...own, body }) as Delivery);
  const rest = { ...fanOut, made: made + size, version: fanOut.version + 1 };
  return { part, rest: rest.made < count ? rest : null };
}

function only(delivery: Delivery, members: readonly (keyof Delivery)[]): Partial<Delivery> {
  return Object.fromEntries(members.map((member) => [member, delivery[member]]));
}
