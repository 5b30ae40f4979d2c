import { v5 as uuidv5 } from 'uuid';
import { isPeopleChannel } from '../../schema/channels.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import type { Notified } from '../alert/notified.ts';
import { type Delivery, type DeliverySeed, type Message, newDelivery, type Slot } from '../delivery/delivery.ts';
import type { Waits } from '../limits.ts';
import type { Instant } from '../time.ts';
import { isAwaited, knowsOf, windowId, withNote } from './notes.ts';
import { occasionTable } from './occasions.ts';
import { freeSlot, type TargetRecord, targetIdOf } from './target.ts';
import { type Contact, contactKey } from './team.ts';

/** What is to be notified: the event, from what its messages are rendered, and what its record notes of targets. */
export type Subject = {
  event: Event;
  message: Message;
  isUrgent: boolean;
  isGathered?: boolean;
  foldIds: readonly string[];
};
type Event = Pick<DeliverySeed, 'eventType' | 'eventId' | 'alertId' | 'deviceId' | 'groupId'>;

/** Messages that look for a slot, and what the record notes of the targets: the others wait for the digest of a window. */
export type Addressed = { notified: Notified[]; deliveries: Delivery[]; foldIds: string[] };

const deliveryNamespace = '0f5c5f0e-7a53-5d6b-8f60-0c9c5e1f4a22';

/**
 * Decides for each contact whether a message looks for a slot or waits for a digest. Either way the record notes the window, so that the digest
 * counts what has not left by itself. That somebody has it, or that it is over, is for those who know that it began.
 * @param targets the budgets of these contacts, by id
 */
export function addressed(
  contacts: readonly Contact[],
  { event, message, isUrgent, isGathered = false, foldIds }: Subject,
  targets: ReadonlyMap<string, TargetRecord | null>,
  now: Instant,
  waits: Waits,
): Addressed {
  const result: Addressed = { notified: [], deliveries: [], foldIds: [...foldIds] };
  const { phase } = occasionTable[message.occasion];
  for (const contact of contacts) {
    const { channel, target, name } = contact;
    const targetId = targetIdOf(contact);
    const budget = targets.get(targetId) ?? null;
    const window = budget?.window ?? 1;
    if (phase !== 'began' && !knowsOf(result.foldIds, message.id, targetId, budget)) {
      const isGone = phase === 'over' && isAwaited(result.foldIds, targetId, window);
      if (isGone) result.foldIds = withNote(result.foldIds, { targetId, window, occasion: 'went' });
      continue;
    }
    result.foldIds = withNote(result.foldIds, { targetId, window, occasion: message.occasion });
    const who = { channel, team: target.team, target: name };
    // The digest of an open window counts it. One that is not open yet is opened by the message that would leave.
    const isAwaitedByDigest = isGathered && budget !== null && budget.dueAt !== null;
    if (
      isAwaitedByDigest ||
      !freeSlot(budget, { channel, isUrgent, deviceId: event.deviceId, use: 'direct' }, now, waits)
    ) {
      result.notified.push({ ...who, deliveryId: null, foldId: windowId(targetId, window) });
      continue;
    }
    const delivery = messageTo(
      contact,
      { event, message, slot: { isUrgent, window, ...(isGathered ? { isGathered } : {}) } },
      now,
    );
    result.deliveries.push(delivery);
    result.notified.push({ ...who, deliveryId: delivery.deliveryId, foldId: null });
  }
  return result;
}

type Given = {
  event: Event;
  message?: Message;
  body?: string;
  slot?: Partial<Pick<Slot, 'isUrgent' | 'window' | 'isGathered'>>;
};

/** One message to one contact as a delivery that is due at once, rendered when it leaves or with a body that stands. The same event gives the same delivery. */
export function messageTo(contact: Contact, { event, message, body = '', slot = {} }: Given, now: Instant): Delivery {
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

/** A message about a window of a target: its digest, or that its hour is used up. */
export function windowMessage(
  { targetId, channel, target, targetName, form }: TargetRecord,
  message: Message & { about: 'digest' | 'held' },
  now: Instant,
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
      slot: { targetId, form, use: eventType, isUrgent: false, window: null, hasLeft: false },
      maxAttempts: isPeopleChannel(channel) ? channelTable[channel].attempts : 1,
    },
    now,
  );
}

/** The form in which a contact's channel takes a message. */
export function formOf({ channel, chatKind }: Contact): Slot['form'] {
  return chatKind ?? channelTable[channel].form ?? 'slack';
}

/** How the trail names one that is told at once. */
export function notifiedOf({ channel, target, targetName, deliveryId }: Delivery): Notified {
  return {
    channel,
    team: 'team' in target ? target.team : null,
    target: targetName,
    deliveryId,
    foldId: null,
  };
}
