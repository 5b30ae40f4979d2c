import type { Delivery } from '../../domain/delivery/delivery.ts';
import { bodyFor } from '../../domain/messages/bodies.ts';
import { noticeContent } from '../../domain/messages/content.ts';
import { formOf, messageTo } from '../../domain/notify/address.ts';
import { everybodyIn, type TeamRecord } from '../../domain/notify/team.ts';

import type { Instant } from '../../domain/time.ts';
import { AppError, notFound } from '../../errors.ts';
import type { DeliveryChannel } from '../../schema/channels.ts';
import type { TeamTestRequest } from '../../schema/settings/team.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { World } from '../ports.ts';
import { loadTeam } from '../settings/teams.ts';
import { handoffTest } from './test-handoff.ts';

/**
 * Sends a test message to every contact of a team, to those of one channel, or to a hand-off, through the usual pipeline.
 * @throws AppError `not-found`; `invalid-request` where nobody can be notified
 */
export async function testTeam(
  world: World,
  bearer: Bearer,
  name: string,
  { channel, handoffId, text }: TeamTestRequest,
  testId: string,
): Promise<{ deliveries: { deliveryId: string; channel: DeliveryChannel; target: string }[] }> {
  const { team } = await loadTeam(world, name);
  if (!team) throw notFound(`team ${name}`);
  const now = world.now();
  const asker = bearer.subject;
  const deliveries =
    handoffId === undefined
      ? messagesTo(team, { channel, text, asker, testId, now, consoleUrl: world.consoleUrl })
      : handoffTest(team, handoffId, { asker, testId, now });
  await decideAndCommit(world, async () => ({
    writes: deliveries.map(deliveryCreation),
    wakes: deliveryWakes(deliveries),
    answer: undefined,
  }));
  const nameOf = ({ targetName }: Delivery) => targetName.slice(name.length + 2);
  return {
    deliveries: deliveries.map((each) => ({
      deliveryId: each.deliveryId,
      channel: each.channel,
      target: nameOf(each),
    })),
  };
}

type TestOrder = {
  channel: TeamTestRequest['channel'] | undefined;
  text: string | undefined;
  asker: string;
  testId: string;
  now: Instant;
  consoleUrl: string;
};

function messagesTo(team: TeamRecord, { channel, text, asker, testId, now, consoleUrl }: TestOrder): Delivery[] {
  const contacts = everybodyIn(team).filter((contact) => channel === undefined || contact.channel === channel);
  if (contacts.length === 0) {
    const detail = `the team has no ${channel ?? ''} contact`.replace('  ', ' ');
    throw new AppError('invalid-request', `/channel ${detail}.`, { errors: [{ pointer: '/channel', detail }] });
  }
  const content = noticeContent(text ?? `This is a test of the team ${team.name}, asked for by ${asker}.`, consoleUrl);
  const event = { eventType: 'test', eventId: testId, alertId: null, deviceId: null, groupId: null };
  return contacts.map((contact) => messageTo(contact, { event, body: bodyFor(formOf(contact), content) }, now));
}
