import { v5 as uuidv5 } from 'uuid';
import { isPeopleChannel } from '../../schema/channels.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import type { NotifiedReceiver } from '../alert/alert.ts';
import { type Delivery, type DeliverySeed, type Message, newDelivery, type Slot } from '../delivery/delivery.ts';
import { budget as budgets, type Waits } from '../limits.ts';
import { earlier, earliest, type Instant, plus } from '../time.ts';
import { occasionTable } from './occasions.ts';
import { freeSlot, isAwaited, knowsOf, type TargetRecord, targetIdOf, windowId, withNote } from './target.ts';

import { type Contact, contactKey } from './team.ts';

/** The input of a notification: the event, the content of its messages, and what its record notes about the targets (`notes.ts`). */
export type NotificationSubject = {
  event: Event;
  message: Message;
  isUrgent: boolean;
  isGathered?: boolean;
  digestIds: readonly string[];
  /** Messages of the same decision, which compete for the same slots. */
  beside?: readonly Delivery[];
};
type Event = Pick<DeliverySeed, 'eventType' | 'eventId' | 'alertId' | 'deviceId' | 'groupId'>;

/**
 * The messages that try to get a slot, and the record's new notes. Targets without a message get it with the digest of a window. `plannedAt`: when the
 * first of them is planned to leave; null: nobody gets one.
 */
export type Notifications = {
  notified: NotifiedReceiver[];
  deliveries: Delivery[];
  digestIds: string[];
  plannedAt: Instant | null;
};

const deliveryNamespace = '0f5c5f0e-7a53-5d6b-8f60-0c9c5e1f4a22';

/**
 * Decides for each contact whether a message tries to get a slot or waits for a digest. In both cases the record notes the window, so that the digest
 * includes messages that were not sent individually. Acknowledgements and ends go only to targets that know of the beginning.
 * @param targets the budgets of these contacts, by id
 */
export function addressed(
  contacts: readonly Contact[],
  { event, message, isUrgent, isGathered = false, digestIds, beside = [] }: NotificationSubject,
  targets: ReadonlyMap<string, TargetRecord | null>,
  now: Instant,
  waits: Waits,
): Notifications {
  const result: Notifications = { notified: [], deliveries: [], digestIds: [...digestIds], plannedAt: null };
  const { phase } = occasionTable[message.occasion];
  const gathered = isGathered ? { isGathered } : {};
  const isAtOnce = (targetId: string) => !isGathered && !isCrowded(targetId, beside);
  for (const contact of contacts) {
    const { channel, target, name } = contact;
    const targetId = targetIdOf(contact);
    const budget = targets.get(targetId) ?? null;
    const window = budget?.window ?? 1;
    if (phase !== 'began' && !knowsOf(result.digestIds, message.id, targetId, budget)) {
      if (phase === 'over') result.digestIds = withoutAwaited(result.digestIds, targetId, window);
      continue;
    }
    result.digestIds = withNote(result.digestIds, { targetId, window, occasion: message.occasion });
    const who = { channel, team: target.team, target: name };
    const order = { ...event, channel, isUrgent, use: 'direct' } as const;
    // What is urgent tries in any case: where it finds no slot, its target notes that.
    const isDirect = !isForDigest(budget, isGathered) && (isUrgent || freeSlot(budget, order, now, waits) !== null);
    result.plannedAt = earliest([result.plannedAt, leavesAt(budget, isDirect && isAtOnce(targetId), now, waits)]);
    if (!isDirect) {
      result.notified.push({ ...who, deliveryId: null, digestId: windowId(targetId, window) });
      continue;
    }
    const delivery = messageTo(contact, { event, message, slot: { isUrgent, window, ...gathered } }, now);
    result.deliveries.push(delivery);
    result.notified.push({ ...who, deliveryId: delivery.deliveryId, digestId: null });
  }
  return result;
}

/** If the window is open, its digest includes a gathered message. Otherwise the message itself opens the window when it tries to leave. */
function isForDigest(target: TargetRecord | null, isGathered: boolean): boolean {
  return isGathered && target !== null && target.dueAt !== null;
}

/** The notes of a record that ended before its beginning left for a target. */
function withoutAwaited(digestIds: string[], targetId: string, window: number): string[] {
  const isGone = isAwaited(digestIds, targetId, window);
  return isGone ? withNote(digestIds, { targetId, window, occasion: 'went' }) : digestIds;
}

/** Whether messages of the same decision will use up the slots of a target. */
function isCrowded(targetId: string, beside: readonly Delivery[]): boolean {
  return beside.filter(({ slot }) => slot?.targetId === targetId).length >= budgets.direct;
}

/** When a message is planned to leave: now, or when the open window closes. A target whose budget is used up delays no clock by more than one window. */
function leavesAt(target: TargetRecord | null, isNow: boolean, now: Instant, { digestWindow }: Waits): Instant {
  if (isNow) return now;
  const latest = plus(now, digestWindow);
  const dueAt = target?.dueAt ?? latest;
  return dueAt < now ? now : earlier(dueAt, latest);
}

type MessageSource = {
  event: Event;
  message?: Message;
  body?: string;
  slot?: Partial<Pick<Slot, 'isUrgent' | 'window' | 'isGathered'>>;
};

/**
 * One message to one contact as a delivery that is due at once. It is rendered when it is sent, or has a fixed body. The same event gives the same
 * delivery.
 */
export function messageTo(
  contact: Contact,
  { event, message, body = '', slot = {} }: MessageSource,
  now: Instant,
): Delivery {
  const { channel, target, name } = contact;
  return newDelivery(
    {
      ...event,
      deliveryId: messageIdOf(target, event.eventType, event.eventId),
      channel,
      target,
      targetName: `${target.team}: ${name}`,
      body,
      message: message ?? null,
      slot: {
        targetId: targetIdOf(contact),
        form: formOf(contact),
        use: 'direct',
        isUrgent: false,
        window: null,
        hasLeft: false,
        ...slot,
      },
      maxAttempts: channelTable[channel].attempts,
    },
    now,
  );
}

export function messageIdOf(target: Contact['target'], eventType: string, eventId: string): string {
  return uuidv5(JSON.stringify([contactKey({ target }), eventType, eventId]), deliveryNamespace);
}

/** A message about a target's window: its digest, or the notice that the hourly budget is used up. */
export function windowMessage(
  { targetId, channel, target, targetName, form }: TargetRecord,
  message: Message & { about: 'digest' | 'held' },
  now: Instant,
  isUrgent = false,
): Delivery {
  const { about: eventType, window = 0 } = message;
  const eventId = `${windowId(targetId, window)} ${now}`;
  return newDelivery(
    {
      eventType,
      eventId,
      alertId: null,
      deviceId: null,
      groupId: null,
      deliveryId: uuidv5(JSON.stringify([eventType, eventId]), deliveryNamespace),
      channel,
      target,
      targetName,
      body: '',
      message,
      slot: { targetId, form, use: eventType, isUrgent, window: null, hasLeft: false },
      maxAttempts: isPeopleChannel(channel) ? channelTable[channel].attempts : 1,
    },
    now,
  );
}

/** The form in which a contact's channel takes a message. */
export function formOf({ channel, chatKind }: Contact): Slot['form'] {
  return chatKind ?? channelTable[channel].form ?? 'slack';
}

/** The trail's entry for a receiver that is notified at once. */
export function notifiedOf({ channel, target, targetName, deliveryId }: Delivery): NotifiedReceiver {
  return {
    channel,
    team: 'team' in target ? target.team : null,
    target: targetName,
    deliveryId,
    digestId: null,
  };
}
