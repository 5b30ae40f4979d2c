import {
  afterMessage,
  type ChannelHealth,
  type ChannelNews,
  hasFailures,
  type MessageEnd,
  soundChannel,
  type UncountedEnd,
} from '../../domain/delivery/channel-health.ts';
import type { Delivery, SendOutcome } from '../../domain/delivery/delivery.ts';
import { messageTo } from '../../domain/notify/address.ts';
import type { Notice } from '../../domain/notify/notice.ts';
import { targetIdOf } from '../../domain/notify/target.ts';
import { contactsOfPeople, withoutContacts } from '../../domain/notify/team.ts';
import { spellClock } from '../../domain/settings/local-time.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { isPeopleChannel, type PeopleChannel } from '../../schema/channels.ts';
import type { Person } from '../../schema/settings/on-call.ts';
import { channelTable } from '../../schema/vocabulary.ts';
import { type Decided, decideAndCommit, put } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import type { World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';
import { deliveryCreation, deliveryWakes } from './wakes.ts';

/**
 * Notices when a channel to people fails or works again, in two steps: an attempt is recorded together with how its message ended (`endOf`), and what
 * follows from that is one commit, which also takes the end away (`count`). Whoever finds an end that is still there takes the second step again.
 */
export type ChannelWatch = {
  /** How a message ended, if its channel must hear of it. A copy of the channel's record is kept for a moment, so that messages that are accepted read little. */
  endOf(delivery: Delivery, outcome: SendOutcome, isCritical: boolean): Promise<UncountedEnd | null>;
  count(deliveryId: string): Promise<void>;
};

export function createChannelWatch(world: World): ChannelWatch {
  const copies = new Map<PeopleChannel, { health: ChannelHealth; readAt: Instant }>();
  const freshMs = world.waits.breakerFirst / 6;
  const keep = (channel: PeopleChannel, health: ChannelHealth) => {
    copies.set(channel, { health, readAt: world.now() });
    return health;
  };
  const healthOf = async (channel: PeopleChannel) => {
    const copy = copies.get(channel);
    if (copy && !hasFailures(copy.health) && msBetween(copy.readAt, world.now()) < freshMs) return copy.health;
    const [stored = null] = await world.store.get('channelHealth', [channel]);
    return keep(channel, stored?.data ?? soundChannel(channel));
  };
  return {
    async endOf(delivery, outcome, isCritical) {
      const { channel } = delivery;
      const end = endOf(delivery, outcome, { at: world.now(), isCritical });
      if (!isPeopleChannel(channel) || !end) return null;
      return end.kind === 'accepted' && !hasFailures(await healthOf(channel)) ? null : end;
    },
    async count(deliveryId) {
      const counted = await decideAndCommit(world, () => countEnd(world, deliveryId));
      if (!counted) return;
      const { channel, health, news } = counted;
      keep(channel, health);
      if (news) world.log.warn('channel.changed', { channel, kind: news.kind, failingSince: sinceOf(news) });
    },
  };
}

type ChannelChange = { channel: PeopleChannel; health: ChannelHealth; news: ChannelNews | null };

async function countEnd(world: World, deliveryId: string): Promise<Decided<ChannelChange | null>> {
  const [delivery = null] = await world.store.get('deliveries', [deliveryId]);
  const { channel = 'webhook', end } = delivery?.data ?? {};
  if (!delivery || !end || !isPeopleChannel(channel)) return { writes: [], wakes: [], answer: null };
  const [stored = null] = await world.store.get('channelHealth', [channel]);
  const { health, news } = afterMessage(stored?.data ?? soundChannel(channel), end);
  const notice = news ? noticeOf(await wordsOf(world, channel, news, end), end.at) : null;
  const others = end.kind === 'refused' && end.isCritical ? await onOtherChannels(world, delivery.data) : [];
  return {
    writes: [
      put('deliveries', deliveryId, withoutEnd(delivery.data), delivery),
      put('channelHealth', channel, health, stored),
      ...(notice ? [notice.write] : []),
      ...others.map(deliveryCreation),
    ],
    wakes: [...(notice ? [notice.wake] : []), ...deliveryWakes(others)],
    answer: { channel, health, news },
  };
}

function withoutEnd({ end: _, ...delivery }: Delivery): Delivery {
  return delivery;
}

/** How a message ended with an attempt. Null: it did not, or only a person tried a contact. */
function endOf(
  delivery: Delivery,
  outcome: SendOutcome,
  { at, isCritical }: Pick<UncountedEnd, 'at' | 'isCritical'>,
): UncountedEnd | null {
  const { target, slot, status, eventType, attemptCount, earlierAttempts, maxAttempts } = delivery;
  if (!('team' in target) || target.kind === 'handoff') return null;
  const targetId = slot?.targetId ?? targetIdOf({ target });
  if (outcome.errorClass === null) return { targetId, kind: 'accepted', detail: null, at, isCritical };
  // Something CRITICAL is tried further: each try after the attempts of a message counts as one.
  const isRepeated = status === 'pending' && attemptCount - earlierAttempts >= maxAttempts;
  if ((status !== 'failed' && !isRepeated) || eventType === 'test') return null;
  return { targetId, kind: isRefusal(outcome) ? 'refused' : 'failed', detail: outcome.detail, at, isCritical };
}

/** Whether the channel said that it never takes this message for this receiver. */
function isRefusal({ isRetryable, statusCode }: SendOutcome): boolean {
  return !isRetryable && statusCode !== null && statusCode >= 400;
}

function sinceOf(news: ChannelNews): Instant {
  return 'receiver' in news ? news.receiver.failingSince : news.failingSince;
}

async function wordsOf(
  world: World,
  channel: PeopleChannel,
  news: ChannelNews,
  { detail, at }: MessageEnd,
): Promise<Parameters<typeof noticeOf>[0]> {
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
    ...(isOver ? { again: againOf(channel, news) } : { without: channel }),
  };
}

/** What leaves again when something works: everything of the channel, or of one receiver. */
function againOf(channel: PeopleChannel, news: ChannelNews): NonNullable<Notice['again']> {
  return { channel, since: sinceOf(news), targetId: 'receiver' in news ? news.receiver.targetId : null };
}

/** A receiver with just enough of its address to know it. */
async function nameOf({ store }: World, targetId: string): Promise<string> {
  const [target = null] = await store.get('targets', [targetId]);
  return target ? withoutContacts(target.data.targetName) : 'one receiver';
}

/** Messages that tell a person on the other channels what a channel refuses to deliver. Whoever has been told on one of them by this event is not told again. */
async function onOtherChannels(world: World, delivery: Delivery): Promise<Delivery[]> {
  const { target, channel, message, slot, eventType, eventId, alertId, deviceId, groupId } = delivery;
  if (!message || !slot || !('address' in target)) return [];
  const team = (await recentConfiguration(world)).teams.get(target.team);
  const person = team?.people?.find((each) => addressesOf(each).has(target.address));
  if (!team || !person) return [];
  const event = { eventType, eventId, alertId, deviceId, groupId };
  const others = contactsOfPeople(team, [person.personId]).filter((contact) => contact.channel !== channel);
  if (others.length === 0) return [];
  const now = world.now();
  const messages = others.map((contact) =>
    messageTo(contact, { event, message, slot: { isUrgent: slot.isUrgent } }, now),
  );
  const ids = messages.map(({ deliveryId }) => deliveryId);
  const known = await world.store.get('deliveries', ids);
  return messages.filter((_, index) => !known[index]);
}

function addressesOf({ email, phone }: Person): Set<string | undefined> {
  return new Set([email, phone]);
}
