import { v5 as uuidv5 } from 'uuid';
import { type Occasion, occasions } from '../../schema/vocabulary.ts';
import type { Delivery, Left, Slot } from '../delivery/delivery.ts';
import { budget, type Waits } from '../limits.ts';
import { type Instant, latest, msBetween, plus } from '../time.ts';
import { occasionTable } from './occasions.ts';
import { type Contact, contactKey } from './team.ts';

/** The note of a record about a target: the occasion and the digest window. `went`: the record ended before its message was sent. */
type TargetNote = { targetId: string; window: number; occasion: Occasion | 'went' };

/** The open window of a target and the messages that were sent individually in it. They show whether a noted message was sent. */
type Windows = { window: number; left: readonly Left[] };

/** The text that marks a record for the digest of a window. */
export function windowId(targetId: string, window: number): string {
  return `${targetId}@${window}`;
}

/** The text that marks a record for one occasion of a window. */
export function noteId({ targetId, window, occasion }: TargetNote): string {
  return `${windowId(targetId, window)}:${occasion}`;
}

export function notesOf(digestIds: readonly string[]): TargetNote[] {
  return digestIds.flatMap((text) => {
    const [, targetId, window, occasion] = /^(.+)@(\d+):([a-z-]+)$/.exec(text) ?? [];
    if (!targetId || !isNoted(occasion)) return [];
    return [{ targetId, window: Number(window), occasion }];
  });
}

function isNoted(text: string | undefined): text is TargetNote['occasion'] {
  return text === 'went' || occasions.some((occasion) => occasion === text);
}

/**
 * Adds a note. For each target and window only the latest note is kept, and of windows closed long ago only the last one: it shows whether the target
 * knows of the record.
 */
export function withNote(digestIds: readonly string[], note: TargetNote): string[] {
  const all = notesOf(digestIds);
  const others = all.filter(({ targetId }) => targetId !== note.targetId);
  const own = all.filter(({ targetId, window }) => targetId === note.targetId && window !== note.window);
  const recent = own.filter(({ window }) => window >= note.window - 1);
  const last = own.filter(({ window }) => window < note.window - 1).toSorted((a, b) => b.window - a.window)[0];
  return [...others, ...(last ? [last] : []), ...recent, note].flatMap((each) => [
    windowId(each.targetId, each.window),
    noteId(each),
  ]);
}

/** Whether a target was notified of a record's beginning, and not of its end since. */
export function knowsOf(
  digestIds: readonly string[],
  about: string,
  targetId: string,
  windows: Windows | null,
): boolean {
  if (!windows) return false;
  const direct = windows.left.findLast((each) => each.about === about);
  if (direct) return occasionTable[direct.occasion].phase !== 'over';
  const closed = notesOf(digestIds)
    .filter((note) => note.targetId === targetId && note.window < windows.window)
    .toSorted((a, b) => b.window - a.window)[0];
  return closed !== undefined && closed.occasion !== 'went' && occasionTable[closed.occasion].phase !== 'over';
}

/** Whether the digest of a target's open window will still report the beginning. */
export function isAwaited(digestIds: readonly string[], targetId: string, window: number): boolean {
  return notesOf(digestIds).some(
    (note) =>
      note.targetId === targetId &&
      note.window === window &&
      note.occasion !== 'went' &&
      occasionTable[note.occasion].phase === 'began',
  );
}

/**
 * What one target (an address, a phone or a room) received, and what may still be sent. One budget applies to all groups, codes and occasions. It is
 * written only when a message is sent or a digest window opens or closes, so a few times a minute at most; deciding whom to notify only reads it.
 */
export type TargetRecord = Pick<Delivery, 'channel' | 'target' | 'targetName'> & {
  targetId: string;
  form: Slot['form'];
  /** The open digest window. Messages without a slot are noted in it. */
  window: number;
  /** Messages that were sent individually while it was open. */
  left: Left[];
  /** Alerts that ended before a digest could report them. */
  went: number;
  /** The previous window, and the number of records that noted it when it was closed. Later commits may add more. */
  previous: { window: number; counted: number } | null;
  directAt: Instant[];
  digestAt: Instant | null;
  smsAt: Instant[];
  /** When the target last got the notice that its hourly budget is used up. */
  heldAt: Instant | null;
  urgentAt: Instant[];
  urgentDevices: { deviceId: string; at: Instant }[];
  /** The window was empty at the last look. After a second empty look no further one is scheduled. */
  isQuiet: boolean;
  dueAt: Instant | null;
  version: number;
};

/** The times that show which slots of a target are free. */
type Stamps = Pick<TargetRecord, 'directAt' | 'digestAt' | 'smsAt' | 'heldAt' | 'urgentAt' | 'urgentDevices'>;
/** The request for a slot. */
export type SlotRequest = Pick<Delivery, 'channel' | 'deviceId'> & Pick<Slot, 'isUrgent' | 'use'>;
type TakenSlot = Slot['use'] | 'urgent';

const namespace = 'b1b5b9a2-5d0f-5a55-9b0c-2f8f3f3f7d11';
/** Maximum number of messages in `left`. A window can stay open for an hour, while a phone gets no more messages. */
const leftKept = 60;

export function targetIdOf(contact: Pick<Contact, 'target'>): string {
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

/** The slot that a message can use now. Null: none is free. A target without any messages yet has all slots free. */
export function freeSlot(target: Stamps | null, asking: SlotRequest, now: Instant, waits: Waits): TakenSlot | null {
  if (!target) return asking.isUrgent ? 'urgent' : asking.use;
  if (asking.use === 'digest')
    return isOld(target.digestAt, now, waits.digestWindow) && !isSpent(target, asking, now, waits) ? 'digest' : null;
  if (asking.use === 'held') return 'held';
  if (asking.isUrgent && isUrgentFree(target, asking, now, waits)) return 'urgent';
  const recent = target.directAt.filter((at) => !isOld(at, now, waits.digestWindow));
  return recent.length < budget.direct && !isSpent(target, asking, now, waits) ? 'direct' : null;
}

function isUrgentFree(
  { urgentAt, urgentDevices }: Stamps,
  { deviceId }: SlotRequest,
  now: Instant,
  waits: Waits,
): boolean {
  const inHour = urgentAt.filter((at) => !isOld(at, now, waits.budgetHour));
  if (inHour.length >= budget.urgentInHour || !isOld(urgentAt.at(-1) ?? null, now, waits.digestWindow)) return false;
  return !urgentDevices.some((each) => each.deviceId === deviceId && !isOld(each.at, now, waits.budgetHour));
}

/** Whether a phone's hourly budget is used up. */
export function isSpent(
  { smsAt }: Stamps,
  { channel }: Pick<SlotRequest, 'channel'>,
  now: Instant,
  waits: Waits,
): boolean {
  const inHour = smsAt.filter((at) => !isOld(at, now, waits.budgetHour));
  return channel === 'sms' && inHour.length >= budget.smsInHour;
}

function isOld(at: Instant | null, now: Instant, ms: number): boolean {
  return at === null || msBetween(at, now) >= ms;
}

/** The latest time at which the next slot for that use is free. */
export function slotFreeAt(target: TargetRecord, { channel, use }: SlotRequest, now: Instant, waits: Waits): Instant {
  const spent = isSpent(target, { channel }, now, waits) ? plus(target.smsAt[0] ?? now, waits.budgetHour) : now;
  const stamp = use === 'digest' ? target.digestAt : target.directAt.length < budget.direct ? null : target.directAt[0];
  const free = stamp ? plus(stamp, waits.digestWindow) : now;
  return latest(spent, free) ?? now;
}

/** The target after a message used a slot. Its window is looked at within a minute. */
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

/**
 * The target after a message that took a slot at an instant was refused: nothing has arrived, so it does not count in an hour's budget. Null: it used
 * none.
 */
export function withSlotReturned(target: TargetRecord, at: Instant): TargetRecord | null {
  const without = (stamps: Instant[]) => {
    const index = stamps.lastIndexOf(at);
    return index < 0 ? stamps : stamps.toSpliced(index, 1);
  };
  const { smsAt, urgentAt, version } = target;
  if (!smsAt.includes(at) && !urgentAt.includes(at)) return null;
  return { ...target, smsAt: without(smsAt), urgentAt: without(urgentAt), version: version + 1 };
}

/**
 * What notes a window. `noted`: the alerts, guardian alerts and deliveries that note it; `waiting`: those of them that were not sent individually;
 * `went`: those waiting that ended before; `notedBefore`: `noted` of the previous window, as it is now.
 */
export type WindowCounts = { noted: number; waiting: number; went: number; notedBefore: number };

/** The next message of a target: a digest, the notice of a used-up hour, or none. */
type WindowResult = {
  target: TargetRecord;
  send: { kind: 'digest'; late: number; went: number } | { kind: 'held'; count: number } | null;
};

/**
 * Closes a window that is due. Records that were committed after the count are reported by the next digest. A window in which alerts only began and
 * ended waits for a digest with other content.
 */
export function closeWindow(target: TargetRecord, counts: WindowCounts, now: Instant, waits: Waits): WindowResult {
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

/** A phone whose hourly budget is used up gets one notice, and the window stays open until the phone may get more. */
function spent(target: TargetRecord, count: number, now: Instant, waits: Waits): WindowResult {
  const isSaid = !isOld(target.heldAt, now, waits.budgetHour);
  const next = {
    ...target,
    isQuiet: false,
    dueAt: slotFreeAt(target, { ...target, use: 'digest', isUrgent: false, deviceId: null }, now, waits),
    version: target.version + 1,
  };
  return { target: isSaid ? next : { ...next, heldAt: now }, send: isSaid ? null : { kind: 'held', count } };
}
