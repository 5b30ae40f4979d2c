import type { Operations } from './operations.ts';
import { prices } from './prices.ts';

const bytesOfGib = 1024 ** 3;

/**
 * Dollars per million units of work at list price, without free quotas: Firestore operations, function requests, Pub/Sub messages (published and
 * pushed, at least 1 KiB each) and Cloud Tasks operations (created and dispatched). Excludes CPU, storage and traffic.
 */
export function dollarsPerMillion(
  each: Operations,
  { requests, messageKib }: { requests: number; messageKib: number },
): number {
  const units: [keyof typeof prices, number][] = [
    ['read', each.reads],
    ['write', each.writes],
    ['delete', each.deletes],
    ['task', 2 * each.tasks],
    ['request', requests],
    ['published', (2 * messageKib * 1024) / bytesOfGib],
  ];
  return units.reduce((sum, [name, amount]) => sum + (amount * 1e6 * prices[name].dollars) / prices[name].per, 0);
}
