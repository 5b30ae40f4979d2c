import { type ChatKind, channels, type DrillHop, type DrillState, type WayName } from '../../schema/vocabulary.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Waits } from '../limits.ts';
import { type Instant, msBetween, plus } from '../time.ts';

/** The receivers of a drill: addresses of the platform's own that no person reads for alerts. */
export type DrillTargets = { emails: string[]; phones: string[]; chats: { kind: ChatKind; url: string }[] };

/** The result of the last drills. `hop`: the first step that failed. */
type DrillVerdict = {
  state: DrillState;
  hop: DrillHop | null;
  detail: string | null;
  since: Instant;
  judgedAt: Instant;
  lastPassedAt: Instant | null;
};

/** The standing drill: one record that each round rewrites. Its start time identifies a round. */
export type DrillRecord = {
  startedAt: Instant;
  /** The paths that the round used, and whether the first step accepted the message. */
  sent: Partial<Record<WayName, boolean>>;
  /** When the message of each path was handled. */
  arrived: Partial<Record<WayName, Instant>>;
  /** The alert that it opened, and the deliveries of this alert. */
  alertId: string | null;
  deliveryIds: string[];
  /** When the round is judged. Null: it has been judged. */
  dueAt: Instant | null;
  verdict: DrillVerdict | null;
  version: number;
};

export const drillId = 'standing';

/** A message of a drill. It takes the same path as a report. */
export type DrillMessage = { drill: Instant; way: WayName };

/** The text that the signature of a drill's message covers. */
export function drillText({ drill, way }: DrillMessage): string {
  return `watchpost-drill ${way} ${drill}`;
}

/** Starts a round. Null: the last one is not over, or none is due. */
export function begun(before: DrillRecord | null, now: Instant, waits: Waits, isAskedFor: boolean): DrillRecord | null {
  if (before && (before.dueAt !== null || (!isAskedFor && msBetween(before.startedAt, now) < waits.drillEvery)))
    return null;
  const { verdict = null, version = 0 } = before ?? {};
  const dueAt = plus(now, waits.drillPatience);
  return {
    ...{ startedAt: now, sent: {}, arrived: {}, alertId: null, deliveryIds: [] },
    ...{ dueAt, verdict, version: version + 1 },
  };
}

/** A failed step, and the evidence. */
type Break = { hop: DrillHop; detail: string };

/**
 * Judges a round that is due.
 * @param deliveries the final state of its deliveries; null: one no longer exists
 */
export function judged(
  before: DrillRecord,
  deliveries: readonly (Delivery | null)[],
  now: Instant,
  waits: Waits,
): DrillRecord & { verdict: DrillVerdict } {
  const found = breakOnTheWay(before) ?? lateWake(before, now, waits) ?? breakOfDeliveries(deliveries);
  const { verdict: last, startedAt, version } = before;
  const state = found ? 'broken' : 'passed';
  const isSame = last?.state === state && last.hop === (found?.hop ?? null);
  const verdict: DrillVerdict = {
    state,
    hop: found?.hop ?? null,
    detail: found?.detail ?? null,
    since: isSame ? last.since : startedAt,
    judgedAt: now,
    lastPassedAt: found ? (last?.lastPassedAt ?? null) : startedAt,
  };
  return { ...before, dueAt: null, verdict, version: version + 1 };
}

/** Checks the steps from the sender to the alert. If no path delivered the message, the fault is where all paths meet. */
function breakOnTheWay({ sent, arrived, alertId }: DrillRecord): Break | null {
  const hasArrived = Object.keys(arrived).length > 0;
  if (sent.ingest === false) return { hop: 'publish', detail: 'Pub/Sub did not take the message' };
  if (sent.ingest !== undefined && !arrived.ingest) {
    return { hop: 'ingest', detail: 'the message that Pub/Sub took did not reach ingest' };
  }
  if (sent.broker === false) return { hop: 'broker', detail: 'the broker did not take the message' };
  if (sent.broker !== undefined && !arrived.broker) {
    return { hop: 'bridge', detail: 'the message that the broker took did not reach ingest' };
  }
  if (!hasArrived) return { hop: 'publish', detail: 'no message left' };
  return alertId === null ? { hop: 'alert', detail: 'a message was taken in, and no alert was opened' } : null;
}

/** The sweep handled the round instead of its wake, so wakes are late or lost. */
function lateWake({ dueAt }: DrillRecord, now: Instant, waits: Waits): Break | null {
  const isLate = dueAt !== null && msBetween(dueAt, now) >= waits.wakeGrace;
  return isLate ? { hop: 'wake', detail: 'no wake came: a queue of `deadlines` or its calls fail' } : null;
}

/** A failure of all deliveries has a common cause, which comes before the fault of one channel. */
function breakOfDeliveries(deliveries: readonly (Delivery | null)[]): Break | null {
  const found = deliveries.flatMap((delivery) => breakOf(delivery) ?? []);
  return orderOfHops.flatMap((hop) => found.find((each) => each.hop === hop) ?? [])[0] ?? null;
}

const orderOfHops: readonly DrillHop[] = ['queue', 'outside', 'deliver', ...channels];

function breakOf(delivery: Delivery | null): Break | null {
  if (!delivery) return { hop: 'queue', detail: 'a delivery is gone' };
  const { channel, status, attemptCount, attempts, createdAt, dueAt, leasedUntil, unheardAt } = delivery;
  if (status === 'delivered') return null;
  if (attemptCount > 0 || status !== 'pending') {
    const last = attempts.at(-1);
    // Hand-offs get no drill.
    const hop = channel === 'handoff' ? 'deliver' : channel;
    return { hop, detail: last ? `${last.errorClass} ${last.statusCode ?? ''}`.trim() : status };
  }
  if (leasedUntil === null && dueAt === createdAt) {
    return { hop: 'queue', detail: 'no call of deliver came: a queue of `deliveries` or its calls fail' };
  }
  return unheardAt !== undefined
    ? { hop: 'outside', detail: 'nothing outside answered, so that no attempt was made' }
    : { hop: 'deliver', detail: 'an attempt began and did not end' };
}

/** The shown state of the drill. If no rounds run, the first step has failed, whatever the last result was. */
export function drillNow({ verdict, startedAt }: DrillRecord, now: Instant, waits: Waits): DrillVerdict | null {
  if (msBetween(startedAt, now) <= 2 * waits.drillEvery) return verdict;
  const { lastPassedAt = null, judgedAt = startedAt } = verdict ?? {};
  const detail = 'no drill has begun for two periods';
  return { state: 'broken', hop: 'sweep', detail, since: startedAt, judgedAt, lastPassedAt };
}
