import type { Delivery } from '../../domain/delivery/delivery.ts';
import { bytesOf, fanOutOf, partLimits } from '../../domain/delivery/fan-out.ts';
import type { Instant } from '../../domain/time.ts';
import type { Wake, Write } from '../ports.ts';

/** Far below the store's limit of 500, because an increment may count as a write of its own. */
const maxWrites = 400;

type Work = { writes: Write[]; wakes: Wake[] };

/**
 * Makes a decision fit into one commit, so that a state and the deliveries that it causes stay together. Where there are too many
 * deliveries, those with the same body become one fan-out record that is expanded later, the largest group first.
 */
export function withinOneCommit<T extends Work>(decided: T, now: () => Instant): T {
  if (fits(decided)) return decided;
  let work: Work = decided;
  for (const deliveries of byBody(decided.writes)) {
    if (fits(work)) break;
    work = fannedOut(work, deliveries, now());
  }
  return { ...decided, ...work };
}

function fits({ writes }: Work): boolean {
  return writes.length <= maxWrites && bytesOf(newDeliveries(writes)) + eventBytes(writes) <= partLimits.bytes;
}

function eventBytes(writes: readonly Write[]): number {
  return writes.reduce(
    (sum, write) => sum + (write.kind === 'create' && write.in === 'events' ? write.data.body.length : 0),
    0,
  );
}

function newDeliveries(writes: readonly Write[]): Delivery[] {
  return writes.flatMap((write) => (write.kind === 'create' && write.in === 'deliveries' ? [write.data] : []));
}

function byBody(writes: readonly Write[]): [Delivery, ...Delivery[]][] {
  const groups = [...Map.groupBy(newDeliveries(writes), ({ recordId, body }) => recordId ?? body).values()];
  return groups.filter(isSeveral).toSorted((a, b) => bytesOf(b) - bytesOf(a));
}

function isSeveral(deliveries: Delivery[]): deliveries is [Delivery, ...Delivery[]] {
  return deliveries.length > 1;
}

function fannedOut({ writes, wakes }: Work, deliveries: [Delivery, ...Delivery[]], now: Instant): Work {
  const ids = new Set(deliveries.map(({ deliveryId }) => deliveryId));
  const data = fanOutOf(deliveries, now);
  const { fanOutId: id, version, dueAt } = data;
  const isKept = (each: { in: string; id: string }) => each.in !== 'deliveries' || !ids.has(each.id);
  return {
    writes: [...writes.filter(isKept), { kind: 'create', in: 'fanOuts', id, data }],
    wakes: [...wakes.filter(isKept), { in: 'fanOuts', id, version, dueAt }],
  };
}
