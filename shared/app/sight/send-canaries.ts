import { type Canary, type CanaryRecord, canariesOf, canaryText, shownBy } from '../../domain/sight/canary.ts';
import type { SightRecord } from '../../domain/sight/sight.ts';
import type { Instant } from '../../domain/time.ts';
import { type WayName, wayNames } from '../../schema/vocabulary.ts';
import { type CanarySeal, type CanarySender, pause, type World } from '../ports.ts';
import { loadCanaries } from './sight.ts';

/**
 * The configured canary senders per path, and the seal that signs. `heartbeats`: number of external addresses that get a beat while all paths work.
 */
export type Canaries = { senders: Partial<Record<WayName, CanarySender>>; seal: CanarySeal; heartbeats?: number };

/** For an installation that sends no canaries. */
export const noCanaries: Canaries = { senders: {}, seal: { sign: () => '', verify: () => false } };

/** How often a sweep looks for the canaries that it sent. */
const mostLooks = 5;

/**
 * Sends the canaries of one sweep, and waits a moment for them, except on a path where earlier ones are missing.
 * @returns the canaries that have arrived, of this sweep or an earlier one
 */
export async function sendAndAwait(
  world: World,
  canaries: Canaries,
  { ways }: SightRecord,
  sentAt: Instant,
): Promise<CanaryRecord[]> {
  await sendCanaries(world, canaries, sentAt);
  for (let looks = 1; ; looks += 1) {
    const records = await loadCanaries(world);
    const isAwaited = (way: WayName) => {
      const { newestAt } = shownBy(way, records, sentAt, world.waits);
      const hasCome = (at: Instant) => newestAt !== null && at <= newestAt;
      return canaries.senders[way] !== undefined && ways[way].waiting.every(hasCome) && !hasCome(sentAt);
    };
    if (looks === mostLooks || !wayNames.some(isAwaited)) return records;
    await pause(world, world.waits.canaryLook);
  }
}

/** Sends canaries concurrently. One that could not be sent counts as missing, like one that is lost on its way. */
async function sendCanaries({ log }: World, { senders, seal }: Canaries, sentAt: Instant): Promise<void> {
  const sending = wayNames.flatMap((way) => {
    const sender = senders[way];
    return sender ? Array.from({ length: canariesOf[way] }, (_unused, n) => send(sender, { way, n, sentAt })) : [];
  });
  async function send(sender: CanarySender, canary: Canary): Promise<void> {
    const body = JSON.stringify({ ...canary, signature: seal.sign(canaryText(canary)) });
    try {
      await sender.send(canary, body);
    } catch (error) {
      log.warn('canary.failed', { way: canary.way, n: canary.n, error: String(error) });
    }
  }
  await Promise.all(sending);
}
