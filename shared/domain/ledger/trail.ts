import type { AuditEntry } from '../alert/lifecycle.ts';
import type { AuditRecord } from '../audit/entry.ts';
import { firstOutcomeOf } from '../delivery/decision.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Instant } from '../time.ts';

/** How far the trail of a chain is recorded in the log, and the deliveries without an outcome at that time. */
export type TrailPosition = { to: Instant; lastId: string | null; pending: string[] };

/**
 * What happened between two instants: changed alerts, their deliveries with outcomes, sequence numbers of detections, and changes of the
 * configuration. It contains no person and no address, so that erasing a person needs no change of the log.
 */
export type LedgerTrail = {
  from: Instant;
  to: Instant;
  alerts?: { at: Instant; alertId: string; code: string | null; action: string; status: string }[];
  deliveries?: DeliveryLine[];
  /** The last sequence number of a detection for each endpoint that uses numbers. */
  sequences?: Record<string, number>;
  changes?: { at: Instant; entryId: string; action: string; kind: string | null; id: string | null }[];
};

type DeliveryLine = {
  deliveryId: string;
  alertId: string | null;
  channel: string;
  acceptedAt: Instant;
  outcome: Delivery['status'];
  finishedAt: Instant | null;
  attempts: number;
};

/** Lines per entry. The next entry contains the following ones. */
export const linesOfEntry = 100;

/** The end of the recorded trail: everything found, or the last line if there may be more. */
export function reachOf<Line>(
  lines: readonly Line[],
  until: Instant,
  { at, id }: { at: (line: Line) => Instant; id: (line: Line) => string },
): Pick<TrailPosition, 'to' | 'lastId'> {
  const last = lines.length < linesOfEntry ? undefined : lines.at(-1);
  return last === undefined ? { to: until, lastId: null } : { to: at(last), lastId: id(last) };
}

export function alertLines(
  lines: readonly AuditEntry[],
  codes: ReadonlyMap<string, string>,
): NonNullable<LedgerTrail['alerts']> {
  return lines
    .filter(({ from, to }) => from !== to)
    .map(({ at, alertId, action, to }) => ({ at, alertId, code: codes.get(alertId) ?? null, action, status: to }));
}

/** @returns the lines, with the outcome of the first sending, and the deliveries whose outcome the next entry records */
export function deliveryLines(deliveries: readonly Delivery[]): { lines: DeliveryLine[]; pending: string[] } {
  const lines = deliveries.map((delivery) => {
    const { deliveryId, alertId, channel, createdAt } = delivery;
    const { status, endedAt, attempts } = firstOutcomeOf(delivery);
    return { deliveryId, alertId, channel, acceptedAt: createdAt, outcome: status, finishedAt: endedAt, attempts };
  });
  const pending = lines.flatMap(({ deliveryId, outcome }) => (outcome === 'pending' ? [deliveryId] : []));
  return { lines, pending: pending.slice(-linesOfEntry) };
}

export function changeLines(entries: readonly AuditRecord[]): NonNullable<LedgerTrail['changes']> {
  return entries.map(({ at, entryId, action, resourceKind, resourceId }) => {
    // A team's id is a name that people chose, possibly that of a person, so it is left out.
    return { at, entryId, action, kind: resourceKind, id: resourceKind === 'teams' ? null : resourceId };
  });
}

/** A trail without its empty members. */
export function trailOf(from: Instant, to: Instant, found: Omit<LedgerTrail, 'from' | 'to'>): LedgerTrail {
  const members = Object.entries(found).filter(([, value]) => value !== undefined && Object.keys(value).length > 0);
  return { from, to, ...Object.fromEntries(members) };
}
