import { v5 } from 'uuid';
import { type Delivery, newDelivery } from '../delivery/delivery.ts';
import type { Instant } from '../time.ts';

const namespace = '7d1c9f52-54c6-5a0c-8a4e-6a5e0f2b9d11';

/** The single delivery of a heartbeat address. Each beat rewrites it, so that there is one per address. */
export function heartbeatIdOf(index: number): string {
  return v5(JSON.stringify(['heartbeat', index]), namespace);
}

/**
 * The next beat to an address, given by its number because the address is a secret. Null: the last beat was not sent yet, and a second one adds
 * nothing.
 */
export function heartbeatOf(index: number, before: Delivery | null, now: Instant): Delivery | null {
  if (before?.status === 'pending') return null;
  const seed = {
    deliveryId: heartbeatIdOf(index),
    channel: 'webhook' as const,
    target: { kind: 'heartbeat' as const, index },
    targetName: `heartbeat ${index + 1}`,
    eventType: 'heartbeat',
    eventId: `heartbeat ${index + 1}`,
    ...{ alertId: null, deviceId: null, groupId: null, body: '', maxAttempts: 1 },
  };
  const next = newDelivery(seed, now);
  return before ? { ...next, createdAt: before.createdAt, version: before.version + 1 } : next;
}
