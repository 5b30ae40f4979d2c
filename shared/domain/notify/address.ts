import { v5 as uuidv5 } from 'uuid';
import type { Notified } from '../alert/notified.ts';
import { type Delivery, type DeliverySeed, newDelivery } from '../delivery/delivery.ts';
import type { Instant } from '../time.ts';
import { bodyFor } from './bodies.ts';
import { decideFold, type Fold, type FoldedCode, foldIdOf } from './fold.ts';
import type { Letter } from './messages.ts';
import { type Contact, contactKey } from './team.ts';

/** What a message is about, and the event that it tells of. */
export type Subject = {
  groupId: string;
  code: FoldedCode;
  event: Pick<DeliverySeed, 'eventType' | 'eventId' | 'alertId' | 'deviceId' | 'groupId'>;
};

/** Messages to contacts: those that leave at once open a window each, the others wait for the digest of a window that is open. */
export type Addressed = { notified: Notified[]; deliveries: Delivery[]; opened: Fold[]; windowIds: string[] };

/** Attempts of a message to people: email and chat can wait an hour, a text message that old says nothing. */
const maxAttempts = { email: 5, chat: 5, sms: 3 } as const;
const deliveryNamespace = '0f5c5f0e-7a53-5d6b-8f60-0c9c5e1f4a22';

/** Decides for each contact whether its message leaves now or with a digest. `folds`: the windows of these contacts, by id. */
export function addressed(
  contacts: readonly Contact[],
  { groupId, code, event }: Subject,
  letter: Letter,
  folds: ReadonlyMap<string, Fold | null>,
  now: Instant,
  windowMs: number,
): Addressed {
  const result: Addressed = { notified: [], deliveries: [], opened: [], windowIds: [] };
  for (const contact of contacts) {
    const { channel, target, name } = contact;
    const who = { channel, team: target.team, target: name };
    const fold = folds.get(foldIdOf(contact, groupId, code)) ?? null;
    const decision = decideFold(fold, { contact, groupId, code }, now, windowMs);
    if (decision.kind === 'held') {
      result.windowIds.push(decision.windowId);
      result.notified.push({ ...who, deliveryId: null, foldId: decision.windowId });
      continue;
    }
    const delivery = messageTo(contact, letter, event, now);
    result.opened.push(decision.fold);
    result.deliveries.push(delivery);
    result.notified.push({ ...who, deliveryId: delivery.deliveryId, foldId: null });
  }
  return result;
}

/** One message to one contact as a delivery that is due at once. The same event gives the same delivery. */
export function messageTo(contact: Contact, letter: Letter, event: Subject['event'], now: Instant): Delivery {
  return newDelivery(
    {
      ...event,
      deliveryId: uuidv5(JSON.stringify([contactKey(contact), event.eventType, event.eventId]), deliveryNamespace),
      channel: contact.channel,
      target: contact.target,
      targetName: `${contact.target.team}: ${contact.name}`,
      body: bodyFor(contact, letter),
      maxAttempts: maxAttempts[contact.channel],
    },
    now,
  );
}
