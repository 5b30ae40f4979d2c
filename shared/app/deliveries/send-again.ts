import { droppedFor, postponed, redelivered } from '../../domain/delivery/decision.ts';
import type { Notice } from '../../domain/notify/notice.ts';
import { plus } from '../../domain/time.ts';
import { wakeAll } from '../commit/commit.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { replace } from './attempt.ts';
import { deliveryWakes } from './wakes.ts';

type SentAgain = NonNullable<Notice['again']>;

/** Messages that one recovery sends again, the newest first. */
const mostAgain = 200;
/** A message may be this much older than the first failure that was counted, because its attempts took time. */
const roundMs = 3 * 60 * 60_000;

/**
 * Sends at once what failed or waited while a channel or a receiver did not work. Each message is written anew from the present state, and does not
 * leave if it is no longer true; of several about one record, a receiver gets the newest. Harmless to repeat.
 */
export async function sendAgain(world: World, { channel, since, targetId: only }: SentAgain): Promise<void> {
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
