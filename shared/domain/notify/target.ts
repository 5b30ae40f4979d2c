import { v5 as uuidv5 } from 'uuid';
import type { Delivery, Left, Slot } from '../delivery/delivery.ts';
import { budget, type Waits } from '../limits.ts';
import { type Instant, latest, msBetween, plus } from '../time.ts';
import { type Contact, contactKey } from './team.ts';

/**
 * What has left for one target, an address, a phone or a room, and what may leave: the same budget whatever group, code or occasion a message
 * is about. Written when a message leaves, so at most a few times a minute; whoever notifies only reads it.
 */
export type TargetRecord = Pick<Delivery, 'channel' | 'target' | 'targetName'> & {
  targetId: string;
  form: Slot['form'];
  /** The window of digests that is open: what finds no slot is noted in it. */
  window: number;
  /** What has left directly while it was open. */
  left: Left[];
  /** Alerts that came and went before a digest could tell of them. */
  went: number;
  /** The window before, and how many records noted it when it was closed: some may be committed later. */
  previous: { window: number; counted: number } | null;
  directAt: Instant[];
  digestAt: Instant | null;
  smsAt: Instant[];
  /** When it was last told that its hour is used up. */
  heldAt: Instant | null;
  urgentAt: Instant[];
  urgentDevices: { deviceId: string; at: Instant }[];
  /** The window was found empty: with the next such look it rests. */
  isQuiet: boolean;
  dueAt: Instant | null;
  version: number;
};

/** The stamps of a target by which its slots are free or taken. */
type Stamps = Pick<TargetRecord, 'directAt' | 'digestAt' | 'smsAt' | 'heldAt' | 'urgentAt' | 'urgentDevices'>;
/** What asks for a slot. */
export type Asking = Pick<Delivery, 'channel' | 'deviceId'> & Pick<Slot, 'isUrgent' | 'use'> & { isReminder?: boolean };
export type TakenSlot = Slot['use'] | 'urgent';

const namespace = 'b1b5b9a2-5d0f-5a55-9b0c-2f8f3f3f7d11';
/** What has left in one window: it may stay open for the hour in which a phone gets no more. */
const leftKept = 60;

export function targetIdOf(contact: Contact): string {
  return uuidv5(contactKey(contact), namespace);
}

/** The target of a delivery, before anything has left for it. */
export function newTarget({ channel, target, targetName }: Delivery, { targetId, form }: Slot): TargetRecord {
  return {
    targetId,
    channel,
    target,
    targetName,
    form,
    window: 1,
    left: [],
    went: 0,
    previous: null,
    directAt: [],
    digestAt: null,
    smsAt: [],
    heldAt: null,
    urgentAt: [],
    urgentDevices: [],
    isQuiet: false,
    dueAt: null,
    version: 0,
  };
}

/** The slot by which a message may leave now; null: there is none. A target that nothing has left for has them all. */
export function freeSlot(target: Stamps | null, asking: Asking, now: Instant, waits: Waits): TakenSlot | null {
  if (!target) return asking.isUrgent ? 'urgent' : asking.use;
  if (asking.use === 'digest')
    return isOld(target.digestAt, now, waits.digestWindow) && !isSpent(target, asking, now, waits) ? 'digest' : null;
  if (asking.use === 'held') return 'held';
  if (asking.isUrgent && isUrgentFree(target, asking, now, waits)) return 'urgent';
  const recent = target.directAt.filter((at) => !isOld(at, now, waits.digestWindow));
  const most = asking.isReminder ? budget.direct - budget.freeForNews.direct : budget.direct;
  return recent.length < most && !isSpent(target, asking, now, waits) ? 'direct' : null;
}

function isUrgentFree({ urgentAt, urgentDevices }: Stamps, { deviceId }: Asking, now: Instant, waits: Waits): boolean {
  const inHour = urgentAt.filter((at) => !isOld(at, now, waits.budgetHour));
  if (inHour.length >= budget.urgentInHour || !isOld(urgentAt.at(-1) ?? null, now, waits.digestWindow)) return false;
  return !urgentDevices.some((each) => each.deviceId === deviceId && !isOld(each.at, now, waits.budgetHour));
}

/** Whether a phone has had its messages of the hour. */
export function isSpent(
  { smsAt }: Stamps,
  { channel, isReminder }: Pick<Asking, 'channel' | 'isReminder'>,
  now: Instant,
  waits: Waits,
): boolean {
  const inHour = smsAt.filter((at) => !isOld(at, now, waits.budgetHour));
  const most = isReminder ? budget.smsInHour - budget.freeForNews.smsInHour : budget.smsInHour;
  return channel === 'sms' && inHour.length >= most;
}

function isOld(at: Instant | null, now: Instant, ms: number): boolean {
  return at === null || msBetween(at, now) >= ms;
}

/** When the next slot of that use is free, at the latest. */
export function slotFreeAt(target: TargetRecord, { channel, use }: Asking, now: Instant, waits: Waits): Instant {
  const spent = isSpent(target, { channel }, now, waits) ? plus(target.smsAt[0] ?? now, waits.budgetHour) : now;
  const stamp = use === 'digest' ? target.digestAt : target.directAt.length < budget.direct ? null : target.directAt[0];
  const free = stamp ? plus(stamp, waits.digestWindow) : now;
  return latest(spent, free) ?? now;
}

/** The target after a message has left by a slot. Its window is looked at no later than a minute after. */
export function withSlotTaken(
  target: TargetRecord,
  slot: TakenSlot,
  { left, deviceId }: { left: Left | null; deviceId: string | null },
  now: Instant,
  waits: Waits,
): TargetRecord {
  const { channel, directAt, smsAt, urgentAt, urgentDevices } = target;
  const isCounted = channel === 'sms' && (slot === 'direct' || slot === 'digest');
  return {
    ...target,
    directAt: slot === 'direct' ? [...directAt, now].slice(-budget.direct) : directAt,
    digestAt: slot === 'digest' ? now : target.digestAt,
    smsAt: isCounted ? [...smsAt, now].slice(-budget.smsInHour) : smsAt,
    heldAt: slot === 'held' ? now : target.heldAt,
    urgentAt: slot === 'urgent' ? [...urgentAt, now].slice(-budget.urgentInHour) : urgentAt,
    urgentDevices:
      slot === 'urgent' && deviceId !== null
        ? [...urgentDevices, { deviceId, at: now }].slice(-budget.urgentInHour)
        : urgentDevices,
    left: left ? [...target.left, left].slice(-leftKept) : target.left,
    isQuiet: false,
    dueAt: target.dueAt ?? plus(now, waits.digestWindow),
    version: target.version + 1,
  };
}

/** How many records note a window and have not left by themselves, and how many of those ended before they could. */
export type WindowCounts = { noted: number; waiting: number; went: number; notedBefore: number };

/** What is due on a target: a digest, the one word that its hour is used up, or nothing. */
export type Closing = {
  target: TargetRecord;
  send: { kind: 'digest'; late: number; went: number } | { kind: 'held'; count: number } | null;
};

/**
 * Closes the window of a target whose time has come. What was committed behind the count of a window is told with the next digest. A window
 * in which alerts only came and went waits for a digest that has something to tell.
 */
export function closeWindow(target: TargetRecord, counts: WindowCounts, now: Instant, waits: Waits): Closing {
  const { window, previous, left } = target;
  const late = previous ? Math.max(0, counts.notedBefore - previous.counted) : 0;
  const news = counts.waiting - counts.went + late;
  const version = target.version + 1;
  if (news > 0 && isSpent(target, target, now, waits)) return spent(target, news, now, waits);
  const isIdle =
    news <= 0 &&
    target.directAt.every((at) => isOld(at, now, waits.digestWindow)) &&
    !isSpent(target, target, now, waits);
  const next: TargetRecord = {
    ...target,
    window: window + 1,
    left: [],
    went: news > 0 ? 0 : target.went + counts.went,
    previous: { window, counted: counts.noted },
    isQuiet: isIdle,
    dueAt: isIdle && target.isQuiet && left.length === 0 ? null : plus(now, waits.digestWindow),
    version,
  };
  return { target: next, send: news > 0 ? { kind: 'digest', late, went: target.went } : null };
}

/** A phone that has had its messages of the hour: one says so, and the window stays open until it may have more. */
function spent(target: TargetRecord, count: number, now: Instant, waits: Waits): Closing {
  const isSaid = !isOld(target.heldAt, now, waits.budgetHour);
  const next = {
    ...target,
    isQuiet: false,
    dueAt: slotFreeAt(target, { ...target, use: 'digest', isUrgent: false, deviceId: null }, now, waits),
    version: target.version + 1,
  };
  return { target: isSaid ? next : { ...next, heldAt: now }, send: isSaid ? null : { kind: 'held', count } };
}
