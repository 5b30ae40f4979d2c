import { type Canary, canariesOf, canaryText } from '../../domain/sight/canary.ts';
import type { Instant } from '../../domain/time.ts';
import { type WayName, wayNames } from '../../schema/vocabulary.ts';
import type { CanarySeal, CanarySender, World } from '../ports.ts';

/**
 * The senders of canaries for each way that is configured, and the seal that signs them. `heartbeats`: how many addresses outside get a beat
 * while all ways see.
 */
export type Canaries = { senders: Partial<Record<WayName, CanarySender>>; seal: CanarySeal; heartbeats?: number };

/** For an installation that sends no canaries. */
export const noCanaries: Canaries = { senders: {}, seal: { sign: () => '', verify: () => false } };

/** Sends the canaries of one sweep concurrently. One that could not be sent counts as missing, like one that is lost on its way. */
export async function sendCanaries({ log }: World, { senders, seal }: Canaries, sentAt: Instant): Promise<void> {
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
