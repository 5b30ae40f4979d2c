import type { PeopleChannel } from '../../schema/channels.ts';
import { type Instant, msBetween } from '../time.ts';

/** Messages in a row that failed, after which a channel or one of its receivers is said to fail. */
const failuresThatTell = 3;
/** Receivers that must have failed for the channel itself to be at fault. */
const receiversThatTell = 2;
/** Receivers that a record remembers, those that failed last. */
const receiversKept = 50;
/** A failure says nothing of a channel or a receiver that was not used for so long since. Never scaled: it is about people's days. */
const rememberedMs = 3 * 24 * 60 * 60_000;

/** A receiver whose last messages have failed. */
export type FailingReceiver = {
  targetId: string;
  failedInRow: number;
  failingSince: Instant;
  lastFailedAt: Instant;
  /** The channel said that it never takes a message for it. */
  isRefused: boolean;
  /** Since when people are told of it. Null: they are not. */
  toldAt: Instant | null;
};

/** The messages of a channel that failed, since the last one that was accepted. Written only on failures and when they end. */
export type ChannelHealth = {
  channel: PeopleChannel;
  failedInRow: number;
  /** The first receivers that failed in this row: as many as tell of the channel. */
  inRow: string[];
  failingSince: Instant | null;
  lastFailedAt: Instant | null;
  /** What went wrong last, in words without secrets. */
  detail: string | null;
  /** Since when people are told that the channel fails. Null: they are not. */
  toldAt: Instant | null;
  receivers: FailingReceiver[];
};

export function soundChannel(channel: PeopleChannel): ChannelHealth {
  const none = { failingSince: null, lastFailedAt: null, detail: null, toldAt: null };
  return { channel, failedInRow: 0, inRow: [], ...none, receivers: [] };
}

/** How one message ended: accepted, failed, or refused for good because of its receiver. */
export type MessageEnd = {
  targetId: string;
  kind: 'accepted' | 'failed' | 'refused';
  detail: string | null;
  at: Instant;
};

/** How a message ended, kept in its delivery until the health of its channel counts it. */
export type UncountedEnd = MessageEnd & { isCritical: boolean };

/** What people must hear: that a channel or a receiver fails, or works again since it was reported. */
export type ChannelNews =
  | { kind: 'channel-failing'; failingSince: Instant }
  | { kind: 'receiver-failing'; receiver: FailingReceiver }
  | { kind: 'channel-recovered'; failingSince: Instant }
  | { kind: 'receiver-recovered'; receiver: FailingReceiver };

export type ChannelStep = { health: ChannelHealth; news: ChannelNews | null };

/** Whether a message that was accepted changes the record. */
export function hasFailures({ failedInRow, receivers }: ChannelHealth): boolean {
  return failedInRow > 0 || receivers.length > 0;
}

/** The health of a channel after a message has ended. */
export function afterMessage(health: ChannelHealth, end: MessageEnd): ChannelStep {
  return end.kind === 'accepted' ? afterAccepted(health, end) : afterFailed(health, end);
}

function afterAccepted(health: ChannelHealth, { targetId }: MessageEnd): ChannelStep {
  const receiver = health.receivers.find((each) => each.targetId === targetId);
  const receivers = health.receivers.filter((each) => each !== receiver);
  const sound = { ...soundChannel(health.channel), receivers };
  if (health.toldAt !== null && health.failingSince !== null) {
    return { health: sound, news: { kind: 'channel-recovered', failingSince: health.failingSince } };
  }
  return { health: sound, news: receiver?.toldAt ? { kind: 'receiver-recovered', receiver } : null };
}

function afterFailed(health: ChannelHealth, end: MessageEnd): ChannelStep {
  const { targetId, kind, detail, at } = end;
  const before = health.receivers.find((each) => each.targetId === targetId);
  const receiver: FailingReceiver = {
    ...{ targetId, toldAt: null },
    ...before,
    failedInRow: (before?.failedInRow ?? 0) + 1,
    failingSince: before?.failingSince ?? at,
    lastFailedAt: at,
    isRefused: kind === 'refused',
  };
  const others = health.receivers.filter((each) => each !== before && isRecent(each, at));
  const row = health.inRow.includes(targetId) ? health.inRow : [...health.inRow, targetId].slice(0, receiversThatTell);
  const counted: ChannelHealth = {
    ...health,
    failedInRow: health.failedInRow + 1,
    inRow: row,
    failingSince: health.failingSince ?? at,
    lastFailedAt: at,
    detail,
    receivers: [...others, receiver].slice(-receiversKept),
  };
  if (health.toldAt !== null) return { health: counted, news: null };
  if (counted.failedInRow >= failuresThatTell && row.length >= receiversThatTell) {
    const news: ChannelNews = { kind: 'channel-failing', failingSince: counted.failingSince ?? at };
    return { health: { ...counted, toldAt: at }, news };
  }
  if (receiver.toldAt !== null || !isSure(receiver)) return { health: counted, news: null };
  const told = { ...receiver, toldAt: at };
  const receivers = counted.receivers.map((each) => (each === receiver ? told : each));
  return { health: { ...counted, receivers }, news: { kind: 'receiver-failing', receiver: told } };
}

function isSure({ failedInRow, isRefused }: FailingReceiver): boolean {
  return isRefused || failedInRow >= failuresThatTell;
}

function isRecent({ lastFailedAt }: FailingReceiver, now: Instant): boolean {
  return msBetween(lastFailedAt, now) < rememberedMs;
}

/** What is failing now: the channel, and receivers by themselves. Null: nothing, or nothing was tried for so long that nobody knows. */
export function failuresOf(health: ChannelHealth, now: Instant): ChannelFailures | null {
  const { toldAt, lastFailedAt } = health;
  const isFailing = toldAt !== null && lastFailedAt !== null && msBetween(lastFailedAt, now) < rememberedMs;
  const receivers = health.receivers.filter((each) => isSure(each) && isRecent(each, now));
  return isFailing || receivers.length > 0 ? { isFailing, receivers } : null;
}

export type ChannelFailures = { isFailing: boolean; receivers: FailingReceiver[] };
