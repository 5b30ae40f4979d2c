import { v5 as uuidv5 } from 'uuid';
import type { AlertRecord } from '../../domain/alert/alert.ts';
import type { AuditEntry } from '../../domain/alert/lifecycle.ts';
import { type DeliverySeed, newDelivery } from '../../domain/delivery/delivery.ts';
import { decideFold, type Fold, foldIdOf } from '../../domain/notify/fold.ts';
import { alertLetter, bodyFor, type Letter } from '../../domain/notify/messages.ts';
import { type Audience, audienceOf, type NotTold, type Told, unique } from '../../domain/notify/notifications.ts';
import { type Contact, contactKey, type TeamRecord } from '../../domain/notify/team.ts';
import type { Instant } from '../../domain/time.ts';
import { deliveryWakes } from '../deliveries/wakes.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';

/** One change of an alert: the alert before and after it, and its line of the trail. */
export type Step = { before: AlertRecord | null; after: AlertRecord; entry: AuditEntry };

/** Whom a change tells, as writes of its commit. `isHeard`: nothing held it back as a whole. */
export type Telling = {
  told: Told[];
  notTold: NotTold[];
  isHeard: boolean;
  writes: Write[];
  wakes: Wake[];
  /** Windows of digests that count the alert. */
  windows: string[];
};

/** Attempts of a message to people: email and chat can wait an hour, a text message that old says nothing. */
const maxAttempts = { email: 5, chat: 5, sms: 3 } as const;
const deliveryNamespace = '0f5c5f0e-7a53-5d6b-8f60-0c9c5e1f4a22';

/** Messages to people of one or more changes in a row, one telling for each; a receiver hears of them once, by the first that tells it. */
export async function tellSteps(
  world: World,
  teams: ReadonlyMap<string, TeamRecord>,
  steps: readonly [Step, ...Step[]],
  now: Instant,
): Promise<Telling[]> {
  const audiences = steps.map(({ after, entry }) => audienceOf(after, entry.action, teams));
  const folds = await loadFolds(world, audiences, steps[0].after);
  const heard = new Set<string>();
  return steps.map(({ after }, index) => {
    const audience = audiences[index] ?? { occasion: null, contacts: [], notTold: [] };
    const contacts = unique(audience.contacts).filter((contact) => !heard.has(contactKey(contact)));
    for (const contact of contacts) heard.add(contactKey(contact));
    return tell(world, after, { ...audience, contacts }, folds, now);
  });
}

type Folds = ReadonlyMap<string, Stored<'folds'>>;

async function loadFolds({ store }: World, audiences: readonly Audience[], alert: AlertRecord): Promise<Folds> {
  const contacts = unique(audiences.flatMap((audience) => audience.contacts));
  if (contacts.length === 0) return new Map();
  const found = await store.get(
    'folds',
    contacts.map((contact) => foldIdOf(contact, alert.groupId, alert.code)),
  );
  return new Map(found.flatMap((fold) => (fold ? [[fold.id, fold]] : [])));
}

function tell(
  world: World,
  alert: AlertRecord,
  { occasion, contacts, notTold }: Audience,
  folds: Folds,
  now: Instant,
): Telling {
  const isHeard =
    occasion !== null && notTold.every(({ channel, reason }) => channel !== null || reason === 'no-contact');
  const telling: Telling = { told: [], notTold, isHeard, writes: [], wakes: [], windows: [] };
  if (occasion === null) return telling;
  const { groupId, code, alertId, deviceId } = alert;
  const letter = alertLetter(alert, occasion, world.consoleUrl);
  for (const contact of contacts) {
    const stored = folds.get(foldIdOf(contact, groupId, code)) ?? null;
    const decision = decideFold(stored?.data ?? null, { contact, groupId, code }, now, world.waits.foldWindow);
    const { channel, target, name } = contact;
    if (decision.kind === 'held') {
      telling.windows.push(decision.windowId);
      telling.told.push({ channel, team: target.team, target: name, deliveryId: null, foldId: decision.windowId });
      continue;
    }
    const event = { eventType: 'notification', eventId: `${alertId} ${alert.version}`, alertId, deviceId, groupId };
    const delivery = deliveryWrites(contact, letter, event, now);
    telling.writes.push(foldWrite(stored, decision.fold), ...delivery.writes);
    telling.wakes.push(foldWake(decision.fold), ...delivery.wakes);
    telling.told.push({ channel, team: target.team, target: name, deliveryId: delivery.deliveryId, foldId: null });
  }
  return telling;
}

/** A fold that was opened or changed, on the state that was read. */
export function foldWrite(stored: Stored<'folds'> | null, fold: Fold): Write {
  return stored
    ? { kind: 'replace', in: 'folds', id: fold.foldId, data: fold, revision: stored.revision }
    : { kind: 'create', in: 'folds', id: fold.foldId, data: fold };
}

export function foldWake({ foldId, version, dueAt }: Fold): Wake {
  return { in: 'folds', id: foldId, version, dueAt: dueAt ?? '' };
}

/** One message to one contact as a delivery that is due at once. The same event gives the same delivery. */
export function deliveryWrites(
  contact: Contact,
  letter: Letter,
  event: Pick<DeliverySeed, 'eventType' | 'eventId' | 'alertId' | 'deviceId' | 'groupId'>,
  now: Instant,
): { deliveryId: string; writes: Write[]; wakes: Wake[] } {
  const deliveryId = uuidv5(JSON.stringify([contactKey(contact), event.eventType, event.eventId]), deliveryNamespace);
  const delivery = newDelivery(
    {
      ...event,
      deliveryId,
      channel: contact.channel,
      target: contact.target,
      targetName: `${contact.target.team}: ${contact.name}`,
      body: bodyFor(contact, letter),
      maxAttempts: maxAttempts[contact.channel],
    },
    now,
  );
  return {
    deliveryId,
    writes: [{ kind: 'create', in: 'deliveries', id: deliveryId, data: delivery }],
    wakes: deliveryWakes([delivery]),
  };
}
