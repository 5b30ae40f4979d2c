import {
  afterMessage,
  type ChannelHealth,
  type ChannelNews,
  hasFailures,
  type MessageEnd,
  soundChannel,
} from '../../domain/delivery/channel-health.ts';
import { droppedFor, postponed, redelivered } from '../../domain/delivery/decision.ts';
import type { Delivery, SendOutcome } from '../../domain/delivery/delivery.ts';
import { messageTo } from '../../domain/notify/address.ts';
import { targetIdOf } from '../../domain/notify/target.ts';
import { contactsOfPeople, withoutContacts } from '../../domain/notify/team.ts';
import { spellClock } from '../../domain/settings/local-time.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { isPeopleChannel, type PeopleChannel } from '../../schema/channels.ts';
import type { Person } from '../../schema/settings/on-call.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import { decideAndCommit, put, wakeAll } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';
import { type AttemptResult, replace } from './attempt.ts';
import { deliveryCreation, deliveryWakes } from './wakes.ts';

/** Notices when a channel to people fails or works again. A copy of its record is kept for a moment, so that messages that are accepted read little. */
export type ChannelWatch = { note(made: MadeAttempt): Promise<void> };
type MadeAttempt = Pick<Extract<AttemptResult, { kind: 'attempted' }>, 'delivery' | 'outcome' | 'isCritical'>;

/** Messages that one recovery sends again, the newest first. */
const mostAgain = 200;
/** A message may be this much older than the first failure that was counted, because its attempts took time. */
const roundMs = 3 * 60 * 60_000;

export function createChannelWatch(world: World): ChannelWatch {
  const copies = new Map<PeopleChannel, { health: ChannelHealth; readAt: Instant }>();
  const freshMs = world.waits.breakerFirst / 6;
  const isKnownSound = (channel: PeopleChannel) => {
    const copy = copies.get(channel);
    return copy !== undefined && !hasFailures(copy.health) && msBetween(copy.readAt, world.now()) < freshMs;
  };
  return {
    async note({ delivery, outcome, isCritical }) {
      const { channel } = delivery;
      const end = endOf(delivery, outcome, world.now());
      if (!isPeopleChannel(channel) || !end || (end.kind === 'accepted' && isKnownSound(channel))) return;
      const { health, news } = await record(world, channel, end);
      if (end.kind === 'refused' && isCritical) await useOtherChannels(world, delivery);
      copies.set(channel, { health, readAt: world.now() });
      if (!news) return;
      world.log.warn('channel.changed', { channel, kind: news.kind, failingSince: sinceOf(news) });
      if (news.kind === 'channel-recovered') await sendAgain(world, channel, sinceOf(news), null);
      if (news.kind === 'receiver-recovered') await sendAgain(world, channel, sinceOf(news), news.receiver.targetId);
    },
  };
}

/** How a message ended with an attempt. Null: it did not, or only a person tried a contact. */
function endOf(delivery: Delivery, outcome: SendOutcome, at: Instant): MessageEnd | null {
  const { target, slot, status, eventType, attemptCount, earlierAttempts, maxAttempts } = delivery;
  if (!('team' in target) || target.kind === 'handoff') return null;
  const targetId = slot?.targetId ?? targetIdOf({ target });
  if (outcome.errorClass === null) return { targetId, kind: 'accepted', detail: null, at };
  // Something CRITICAL is tried further: each try after the attempts of a message counts as one.
  const isRepeated = status === 'pending' && attemptCount - earlierAttempts >= maxAttempts;
  if ((status !== 'failed' && !isRepeated) || eventType === 'test') return null;
  return { targetId, kind: isRefusal(outcome) ? 'refused' : 'failed', detail: outcome.detail, at };
}

/** Whether the channel said that it never takes this message for this receiver. */
function isRefusal({ isRetryable, statusCode }: SendOutcome): boolean {
  return !isRetryable && statusCode !== null && statusCode >= 400;
}

function sinceOf(news: ChannelNews): Instant {
  return 'receiver' in news ? news.receiver.failingSince : news.failingSince;
}

async function record(world: World, channel: PeopleChannel, end: MessageEnd) {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('channelHealth', [channel]);
    const before = stored?.data ?? soundChannel(channel);
    if (end.kind === 'accepted' && !hasFailures(before)) {
      return { writes: [], wakes: [], answer: { health: before, news: null } };
    }
    const step = afterMessage(before, end);
    const write = put('channelHealth', channel, step.health, stored);
    if (!step.news) return { writes: [write], wakes: [], answer: step };
    const notice = noticeOf(await wordsOf(world, channel, step.news, end), end.at);
    return { writes: [write, notice.write], wakes: [notice.wake], answer: step };
  });
}

async function wordsOf(world: World, channel: PeopleChannel, news: ChannelNews, { detail, at }: MessageEnd) {
  const { settings } = await recentConfiguration(world);
  const { title } = channelTable[channel];
  const since = sinceOf(news);
  const clock = spellClock(since, at, settings.timeZone);
  const why = detail === null ? '' : ` ${withoutContacts(detail)}`;
  const named = 'receiver' in news ? `${title} to ${await nameOf(world, news.receiver.targetId)}` : title;
  const later = 'What is still true then is sent as soon as it works again.';
  const texts = {
    'channel-failing': `${named} does not get through since ${clock}: its last messages failed, whoever they were for.${why} ${later}`,
    'receiver-failing': `${named} does not get through since ${clock}, while others do.${why} ${later}`,
    'channel-recovered': `${named} works again. It did not get through since ${clock}. What is still true leaves now.`,
    'receiver-recovered': `${named} gets through again. It did not since ${clock}. What is still true leaves now.`,
  } satisfies Record<ChannelNews['kind'], string>;
  const isOver = news.kind.endsWith('recovered');
  const about = 'receiver' in news ? `${channel}-${news.receiver.targetId}` : channel;
  return {
    noticeId: `${news.kind}-${about}-${since}`,
    kind: news.kind,
    text: texts[news.kind],
    ...(isOver ? {} : { without: channel }),
  };
}

/** A receiver with just enough of its address to know it. */
async function nameOf({ store }: World, targetId: string): Promise<string> {
  const [target = null] = await store.get('targets', [targetId]);
  return target ? withoutContacts(target.data.targetName) : 'one receiver';
}

/** Tells a person on the other channels what a channel refuses to deliver. Whoever has been told on one of them by this event is not told again. */
async function useOtherChannels(world: World, delivery: Delivery): Promise<void> {
  const { target, channel, message, slot, eventType, eventId, alertId, deviceId, groupId } = delivery;
  if (!message || !slot || !('address' in target)) return;
  const team = (await recentConfiguration(world)).teams.get(target.team);
  const person = team?.people?.find((each) => addressesOf(each).has(target.address));
  if (!team || !person) return;
  const event = { eventType, eventId, alertId, deviceId, groupId };
  const others = contactsOfPeople(team, [person.personId]).filter((contact) => contact.channel !== channel);
  const now = world.now();
  const messages = others.map((contact) =>
    messageTo(contact, { event, message, slot: { isUrgent: slot.isUrgent } }, now),
  );
  await decideAndCommit(world, async () => {
    const known =
      messages.length > 0
        ? await world.store.get(
            'deliveries',
            messages.map(({ deliveryId }) => deliveryId),
          )
        : [];
    const missing = messages.filter((_, index) => !known[index]);
    return { writes: missing.map(deliveryCreation), wakes: deliveryWakes(missing), answer: undefined };
  });
}

function addressesOf({ email, phone }: Person): Set<string | undefined> {
  return new Set([email, phone]);
}

/**
 * Sends at once what failed or waited while a channel or a receiver did not work. Each message is written anew from the present state, and does not
 * leave if it is no longer true; of several about one record, a receiver gets the newest.
 */
async function sendAgain(world: World, channel: PeopleChannel, since: Instant, only: string | null): Promise<void> {
  const where: Filter<'deliveries'>[] = [
    { field: 'channel', is: '==', value: channel },
    { field: 'createdAt', is: '>=', value: plus(since, -roundMs) },
  ];
  const found = await world.store.find({
    in: 'deliveries',
    where,
    orderBy: [['createdAt', 'desc']],
    limit: mostAgain,
  });
  const seen = new Set<string>();
  let count = 0;
  for (const stored of found) {
    const { slot, message, status, attemptCount, leasedUntil } = stored.data;
    const isWaiting = status === 'pending' && attemptCount > 0 && leasedUntil === null;
    if (!slot || !message || (only !== null && slot.targetId !== only)) continue;
    const key = JSON.stringify([slot.targetId, message.about, message.id, message.window ?? null]);
    const isOlder = seen.has(key);
    seen.add(key);
    if (!isWaiting && status !== 'failed') continue;
    if (await again(world, stored, isOlder)) count += 1;
  }
  world.log.info('channel.sent-again', { channel, deliveries: count });
}

async function again(world: World, { id, data, revision }: Stored<'deliveries'>, isOlder: boolean): Promise<boolean> {
  const now = world.now();
  if (isOlder) {
    if (data.status === 'pending') await replace(world, id, droppedFor(data, 'overtaken', null, now), revision);
    return false;
  }
  const next = data.status === 'failed' ? redelivered(data, null, now) : postponed(data, now);
  if (!next || !(await replace(world, id, next, revision))) return false;
  await wakeAll(world, deliveryWakes([next]));
  return true;
}
