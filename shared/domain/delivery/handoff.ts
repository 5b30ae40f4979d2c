import type { HandoffFilter } from '../../schema/settings/event-filter.ts';
import type { HandoffSettings } from '../../schema/settings/handoff.ts';
import type { HandoffAction, HandoffKind } from '../../schema/settings/handoff-kinds.ts';
import type { Severity } from '../../schema/vocabulary.ts';
import { type Instant, plus } from '../time.ts';
import type { Delivery, HandoffOrder } from './delivery.ts';
import type { Sealed } from './webhook.ts';

/** An external system that receives open alerts and pages people or manages incidents by itself. */
export type HandoffRecord = {
  handoffId: string;
  kind: HandoffKind;
  name: string;
  settings: HandoffSettings;
  sealedCredential: Sealed | null;
  /** As its author counts. Absent: the credential came without one. */
  credentialVersion?: number;
  /** Hash of its credential: requests with the same key share one rate limit. Absent: it has no key, or a limit of its own. */
  paceId?: string;
  severities: Severity[];
  /** Absent: it gets everything with these severities. */
  filter?: HandoffFilter;
  /** Nothing new is sent to it. */
  isPaused?: boolean;
};

/** The last event that a hand-off got of an alert or incident, its delivery, and the one before it. */
export type Handed = { handoffId: string; action: HandoffAction; deliveryId: string; behind: string | null };

/** The event for a hand-off before its kind gives it a form. Its content is fixed when it happens. */
export type HandoffEvent = {
  action: HandoffAction;
  key: string;
  about: HandoffOrder['about'];
  severity: Severity;
  priority: string | null;
  title: string;
  text: string;
  /** The alert code, or the kind of the incident. */
  code: string;
  deviceId: string | null;
  groupId: string | null;
  site: string | null;
  startedAt: Instant;
  at: Instant;
  /** Its page in the console, without the console's address. */
  path: string;
};

/** Whether a delivery may be sent now. `drops`: earlier deliveries that it makes unnecessary. */
type Turn = { kind: 'leaves'; drops: Delivery[] } | { kind: 'waits'; until: Instant };

/** Delay before the next look while an earlier attempt is in progress, milliseconds. */
const aMoment = 2000;

/**
 * A trigger or a resolution replaces all earlier deliveries that were not sent. An acknowledgement is useless without its trigger, so it waits.
 * @param earlier the pending deliveries before it
 */
export function turnOf({ action }: HandoffOrder, earlier: readonly Delivery[], now: Instant): Turn {
  const isUnderWay = earlier.some(({ leasedUntil }) => leasedUntil !== null && leasedUntil > now);
  if (isUnderWay) return { kind: 'waits', until: plus(now, aMoment) };
  const [last] = earlier;
  if (action !== 'acknowledge' || !last) return { kind: 'leaves', drops: [...earlier] };
  const { dueAt } = last;
  return { kind: 'waits', until: plus(dueAt !== null && dueAt > now ? dueAt : now, aMoment) };
}

/**
 * Whether a later event replaces a delivery. The trigger right before an acknowledgement is still needed. A delivery that a person sends again can be
 * outdated.
 */
export function isStale({ deliveryId, target, handoff }: Delivery, handed: readonly Handed[]): boolean {
  const handoffId = target.kind === 'handoff' ? target.handoffId : '';
  const last = handed.find((each) => each.handoffId === handoffId);
  if (!handoff || !last || last.deliveryId === deliveryId) return false;
  return handoff.action !== 'trigger' || last.action !== 'acknowledge' || last.behind !== deliveryId;
}
