import { bodyFor } from '../../domain/messages/bodies.ts';
import { noticeLetter } from '../../domain/messages/letters.ts';
import { formOf, messageTo } from '../../domain/notify/address.ts';
import { everybodyIn } from '../../domain/notify/teams.ts';
import { AppError, notFound } from '../../errors.ts';
import type { TeamTestRequest } from '../../schema/settings/team.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { deliveryCreation, deliveryWakes } from '../deliveries/wakes.ts';
import type { World } from '../ports.ts';
import { loadTeam } from '../settings/teams.ts';

/**
 * Sends a test message to every contact of a team, or to those of one channel, through the same pipeline as every message.
 * @throws AppError `not-found`; `invalid-request` where there is nobody to send to
 */
export async function testTeam(
  world: World,
  bearer: Bearer,
  name: string,
  { channel, text }: TeamTestRequest,
  testId: string,
): Promise<{ deliveries: { deliveryId: string; channel: 'email' | 'chat' | 'sms'; target: string }[] }> {
  const { team } = await loadTeam(world, name);
  if (!team) throw notFound(`team ${name}`);
  const contacts = everybodyIn(team).filter((contact) => channel === undefined || contact.channel === channel);
  if (contacts.length === 0) {
    const detail = `the team has no ${channel ?? ''} contact`.replace('  ', ' ');
    throw new AppError('invalid-request', `/channel ${detail}.`, { errors: [{ pointer: '/channel', detail }] });
  }
  const now = world.now();
  const letter = noticeLetter(
    text ?? `This is a test of the team ${name}, asked for by ${bearer.subject}.`,
    world.consoleUrl,
  );
  const event = { eventType: 'test', eventId: testId, alertId: null, deviceId: null, groupId: null };
  const messages = contacts.map((contact) => {
    const body = bodyFor(formOf(contact), letter);
    return { contact, delivery: messageTo(contact, { event, body }, now) };
  });
  const deliveries = messages.map(({ delivery }) => delivery);
  await decideAndCommit(world, async () => ({
    writes: deliveries.map(deliveryCreation),
    wakes: deliveryWakes(deliveries),
    answer: undefined,
  }));
  return {
    deliveries: messages.map(({ contact, delivery: { deliveryId } }) => ({
      deliveryId,
      channel: contact.channel,
      target: contact.name,
    })),
  };
}
