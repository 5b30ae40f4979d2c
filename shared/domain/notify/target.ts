import { v5 as uuidv5 } from 'uuid';
import { type Occasion, occasions } from '../../schema/vocabulary.ts';
import type { Delivery, Left, Slot } from '../delivery/delivery.ts';
import { budget, type Waits } from '../limits.ts';
import { earliest, type Instant, later, latest, msBetween, plus } from '../time.ts';
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
  /** How many messages that notice said. */
  heldCount: number;
  urgentAt: Instant[];
  urgentDevices: { deviceId: string; groupId: string | null; at: Instant }[];
  /** Urgent text messages that used places which are kept for them. */
  keptAt: Instant[];
  /** When everything that was held back was last summed up because something urgent was among it. */
  sumAt: Instant | null;
  /** Since when something urgent is held back. Null: nothing is. */
  untoldAt: Instant | null;
  /** The window was empty at the last look. After a second empty look no further one is scheduled. */
  isQuiet: boolean;
  dueAt: Instant | null;
  version: number;
};

/** The times that show which slots of a target are free. */
type Stamps = Pick<
  TargetRecord,
  'directAt' | 'digestAt' | 'smsAt' | 'heldAt' | 'urgentAt' | 'urgentDevices' | 'keptAt' | 'sumAt'
>;
/** The request for a slot. `isMinor`: it may wait for the digest as soon as a phone has got many messages. */
export type SlotRequest = Pick<Delivery, 'channel' | 'deviceId' | 'groupId'> &
  Pick<Slot, 'isUrgent' | 'use'> & { isMinor?: boolean };
/** `kept`: a place among those of an hour that is kept for what is urgent; `sum`: the digest that such a message is part of. */
type TakenSlot = Slot['use'] | 'urgent' | 'kept' | 'sum';

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
    heldCount: 0,
    urgentAt: [],
    urgentDevices: [],
    keptAt: [],
    sumAt: null,
    untoldAt: null,
    isQuiet: false,
    dueAt: null,
    version: 0,
  };
}

/** The slot that a message can use now. Null: none is free. A target without any messages yet has all slots free. */
export function freeSlot(target: Stamps | null, asking: SlotRequest, now: Instant, waits: Waits): TakenSlot | null {
  if (!target) return asking.isUrgent ? 'urgent' : asking.use;
  if (asking.use === 'digest') return freeDigest(target, asking, now, waits);
  if (asking.use === 'held') return 'held';
  if (asking.isUrgent && isUrgentFree(target, asking, now, waits)) return 'urgent';
  const recent = target.directAt.filter((at) => !isOld(at, now, waits.digestWindow));
  if (recent.length >= budget.direct) return null;
  if (isSpent(target, asking, now, waits))
    return asking.isUrgent && isKeptFree(target, asking, now, waits) ? 'kept' : null;
  return asking.isMinor && isBusy(target, asking, now, waits) ? null : 'direct';
}

function freeDigest(target: Stamps, asking: SlotRequest, now: Instant, waits: Waits): 'digest' | 'sum' | null {
  if (!isOld(target.digestAt, now, waits.digestWindow)) return null;
  if (!isSpent(target, asking, now, waits)) return 'digest';
  return asking.isUrgent && isOld(target.sumAt, now, waits.urgentSum) ? 'sum' : null;
}

function isUrgentFree(
  { urgentAt, urgentDevices }: Stamps,
  { deviceId, groupId }: SlotRequest,
  now: Instant,
  waits: Waits,
): boolean {
  if (inHour(urgentAt, now, waits).length >= budget.urgentInHour) return false;
  if (!isOld(urgentAt.at(-1) ?? null, now, waits.digestWindow)) return false;
  const recent = urgentDevices.filter(({ at }) => !isOld(at, now, waits.budgetHour));
  const ofGroup = recent.filter((each) => deviceId !== null && each.groupId === groupId);
  return ofGroup.length < budget.securityInHour && !recent.some((each) => each.deviceId === deviceId);
}

function isKeptFree({ keptAt, urgentDevices }: Stamps, { deviceId }: SlotRequest, now: Instant, waits: Waits): boolean {
  const isRepeated = urgentDevices.some((each) => each.deviceId === deviceId && !isOld(each.at, now, waits.budgetHour));
  return !isRepeated && inHour(keptAt, now, waits).length < budget.smsKept;
}

/** Whether a phone has got so many messages in an hour that what can wait goes to the digest. */
function isBusy(target: Stamps, { channel }: SlotRequest, now: Instant, waits: Waits): boolean {
  return channel === 'sms' && sentInHour(target, now, waits).length >= budget.smsBusy;
}

/** When a phone got each of its messages of the last hour, oldest first. */
export function sentInHour({ smsAt, keptAt, urgentAt, sumAt, heldAt }: Stamps, now: Instant, waits: Waits): Instant[] {
  const all = [...smsAt, ...keptAt, ...urgentAt, ...[sumAt, heldAt].filter((at) => at !== null)];
  return inHour(all, now, waits).toSorted();
}

function inHour(ats: readonly Instant[], now: Instant, { budgetHour }: Waits): Instant[] {
  return ats.filter((at) => !isOld(at, now, budgetHour));
}

/** Text messages an hour for what is not urgent. */
const usualInHour = budget.smsInHour - budget.smsKept;

/** Whether a phone's hourly budget for what is not urgent is used up. */
export function isSpent(
  { smsAt }: Stamps,
  { channel }: Pick<SlotRequest, 'channel'>,
  now: Instant,
  waits: Waits,
): boolean {
  return channel === 'sms' && inHour(smsAt, now, waits).length >= usualInHour;
}

function isOld(at: Instant | null, now: Instant, ms: number): boolean {
  return at === null || msBetween(at, now) >= ms;
}

/** The latest time at which the next slot for that use is free. */
export function slotFreeAt(
  target: TargetRecord,
  { channel, use }: Pick<SlotRequest, 'channel' | 'use'>,
  now: Instant,
  waits: Waits,
): Instant {
  const spent = isSpent(target, { channel }, now, waits) ? plus(target.smsAt[0] ?? now, waits.budgetHour) : now;
  const stamp = use === 'digest' ? target.digestAt : target.directAt.length < budget.direct ? null : target.directAt[0];
  const free = stamp ? plus(stamp, waits.digestWindow) : now;
  return latest(spent, free) ?? now;
}

/** The target after a message used a slot. Its window is looked at within a minute. */
export function withSlotTaken(
  target: TargetRecord,
  slot: TakenSlot,
  { left, deviceId, groupId }: { left: Left | null } & Pick<Delivery, 'deviceId' | 'groupId'>,
  now: Instant,
  waits: Waits,
): TargetRecord {
  const { channel, directAt, smsAt, urgentAt, urgentDevices, keptAt } = target;
  const isCounted = channel === 'sms' && (slot === 'direct' || slot === 'digest');
  return {
    ...target,
    directAt: slot === 'direct' || slot === 'kept' ? [...directAt, now].slice(-budget.direct) : directAt,
    digestAt: slot === 'digest' || slot === 'sum' ? now : target.digestAt,
    smsAt: isCounted ? [...smsAt, now].slice(-usualInHour) : smsAt,
    keptAt: slot === 'kept' ? [...keptAt, now].slice(-budget.smsKept) : keptAt,
    sumAt: slot === 'sum' ? now : target.sumAt,
    heldAt: slot === 'held' ? now : target.heldAt,
    urgentAt: slot === 'urgent' ? [...urgentAt, now].slice(-budget.urgentInHour) : urgentAt,
    urgentDevices:
      slot === 'urgent' && deviceId !== null
        ? [...urgentDevices, { deviceId, groupId, at: now }].slice(-budget.urgentInHour)
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
  send:
    | { kind: 'digest'; late: number; went: number; isUrgent: boolean }
    | { kind: 'held'; count: number; sent: Instant[]; nextAt: Instant }
    | null;
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
  const isUrgent = news > 0 && target.untoldAt !== null;
  const isSpentNow = isSpent(target, target, now, waits);
  if (news > 0 && isSpentNow && !(isUrgent && isOld(target.sumAt, now, waits.urgentSum)))
    return spent(target, news, now, waits);
  const isIdle = news <= 0 && target.directAt.every((at) => isOld(at, now, waits.digestWindow)) && !isSpentNow;
  const next: TargetRecord = {
    ...target,
    window: window + 1,
    left: [],
    went: news > 0 ? 0 : target.went + counts.went,
    untoldAt: news > 0 ? null : target.untoldAt,
    previous: { window, counted: counts.noted },
    isQuiet: isIdle,
    dueAt: isIdle && target.isQuiet && left.length === 0 ? null : plus(now, waits.digestWindow),
    version,
  };
  return { target: next, send: news > 0 ? { kind: 'digest', late, went: target.went, isUrgent } : null };
}

/**
 * A phone whose hourly budget is used up gets a notice, and another when much more is held back. The window stays open until the phone may get more, or
 * until the next sum if something urgent is held back.
 */
function spent(target: TargetRecord, count: number, now: Instant, waits: Waits): WindowResult {
  const isSaid = !isOld(target.heldAt, now, waits.budgetHour) && count < budget.heldGrowth * target.heldCount;
  const nextAt = slotFreeAt(target, { ...target, use: 'digest' }, now, waits);
  const sumAt = target.untoldAt === null ? null : plus(target.sumAt ?? now, waits.urgentSum);
  const lookAt = plus(now, waits.urgentSum);
  const next = {
    ...target,
    isQuiet: false,
    // While more may come to be held, the window is looked at.
    dueAt: earliest([nextAt, sumAt, lookAt]) ?? nextAt,
    version: target.version + 1,
  };
  if (isSaid) return { target: next, send: null };
  const sent = sentInHour(target, now, waits);
  return { target: { ...next, heldAt: now, heldCount: count }, send: { kind: 'held', count, sent, nextAt } };
}

/** The target where an urgent message found no slot: what it holds back is summed up soon. */
export function withUntold(target: TargetRecord, now: Instant, waits: Waits): TargetRecord {
  const dueAt = later(plus(now, waits.digestWindow), plus(target.sumAt ?? now, target.sumAt ? waits.urgentSum : 0));
  return {
    ...target,
    isQuiet: false,
    untoldAt: target.untoldAt ?? now,
    dueAt: earliest([target.dueAt, dueAt]),
    version: target.version + 1,
  };
}
