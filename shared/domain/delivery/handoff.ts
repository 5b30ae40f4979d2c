import type { HandoffSettings } from '../../schema/settings/handoff.ts';
import type { HandoffAction, HandoffKind } from '../../schema/settings/handoff-kinds.ts';
import type { Severity } from '../../schema/vocabulary.ts';
import { type Instant, plus } from '../time.ts';
import type { Delivery, HandoffOrder } from './delivery.ts';
import type { Sealed } from './webhook.ts';

/** A system that is told what is open, and pages people or keeps incidents by itself. */
export type HandoffRecord = {
  handoffId: string;
  kind: HandoffKind;
  name: string;
  settings: HandoffSettings;
  sealedCredential: Sealed | null;
  severities: Severity[];
};

/** What a hand-off was told of an alert or incident last, and by which delivery. */
export type Handed = { handoffId: string; action: HandoffAction; deliveryId: string };

/** What a hand-off is told, before its kind gives it a form. Its bytes are fixed when it happens. */
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

/** Whether a delivery may leave now: after those before it, of which what has not left by then is dropped. */
type Turn = { kind: 'leaves'; drops: Delivery[] } | { kind: 'waits'; until: Instant };

/** How soon an attempt that is under way is looked at again, milliseconds. */
const aMoment = 2000;

/**
 * What is over, or begins anew, takes the place of all before it that has not left. That somebody has it is nothing without its beginning, and waits.
 * @param earlier those before it that are pending
 */
export function turnOf({ action }: HandoffOrder, earlier: readonly Delivery[], now: Instant): Turn {
  const isUnderWay = earlier.some(({ leasedUntil }) => leasedUntil !== null && leasedUntil > now);
  if (isUnderWay) return { kind: 'waits', until: plus(now, aMoment) };
  const [last] = earlier;
  if (action !== 'acknowledge' || !last) return { kind: 'leaves', drops: [...earlier] };
  const { dueAt } = last;
  return { kind: 'waits', until: plus(dueAt !== null && dueAt > now ? dueAt : now, aMoment) };
}

/** Whether what a delivery says is no longer so: something later was told. One that is sent again by hand may be. */
export function isStale({ deliveryId, target, handoff }: Delivery, handed: readonly Handed[]): boolean {
  const handoffId = target.kind === 'handoff' ? target.handoffId : '';
  const last = handed.find((each) => each.handoffId === handoffId);
  if (!handoff || !last || last.deliveryId === deliveryId) return false;
  return handoff.action !== 'trigger' || last.action !== 'acknowledge';
}
