import { bodyFor } from '../../domain/messages/bodies.ts';
import { noticeContent } from '../../domain/messages/content.ts';
import { formOf, messageTo } from '../../domain/notify/address.ts';
import { type Contact, contactKey, contactsOfTeam, openingTeam } from '../../domain/notify/team.ts';
import type { Instant } from '../../domain/time.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import { type Decided, put } from '../commit/commit.ts';

import { sendAgain } from '../deliveries/send-again.ts';
import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';

/** Sends a notice to its team and to the contact of its endpoint, once. Text messages are reserved for alerts, unless another channel does not work. */
export async function handleNoticeDue(
  world: World,
  stored: Stored<'notices'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const { teams, webhooks } = await loadConfiguration(world);
  const { text, without, webhookId, again } = stored.data;
  if (again) await sendAgain(world, again);
  const isForTeam = stored.data.team !== null;
  const team = openingTeam({ notifiedTeam: stored.data.team }, teams);
  const takes = ({ channel }: Contact) =>
    without === undefined ? channelTable[channel].isForNotices : channel !== without;
  const own = webhooks.find((each) => each.webhookId === webhookId)?.contact;
  const contacts = withMailTo(isForTeam ? contactsOfTeam(teams, team).filter(takes) : [], team, own);
  const content = noticeContent(text, world.consoleUrl, team);
  const event = { eventType: 'notice', eventId: stored.id, alertId: null, deviceId: null, groupId: null };
  const messages = contacts.map((contact) =>
    messageTo(contact, { event, body: bodyFor(formOf(contact), content) }, now),
  );
  return {
    writes: [put('notices', stored.id, { ...stored.data, dueAt: null }, stored), ...messages.map(deliveryCreation)],
    wakes: deliveryWakes(messages),
    answer: false,
  };
}

const mailAddress = new RegExp(channelTable.email.contacts.pattern);

/** The contacts with the contact of an endpoint, where that is a mail address and not already among them. */
function withMailTo(contacts: Contact[], team: string, contact: string | undefined): Contact[] {
  if (contact === undefined || !mailAddress.test(contact)) return contacts;
  const target = { kind: 'email', team, address: contact } as const;
  const mail: Contact = { channel: 'email', target, name: contact, chatKind: null };
  return contacts.some((each) => contactKey(each) === contactKey(mail)) ? contacts : [...contacts, mail];
}
