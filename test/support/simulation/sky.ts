import { createCanarySeal } from '../../../shared/adapters/sight/canary-seal.ts';
import type { CanarySender } from '../../../shared/app/ports.ts';
import type { Canaries } from '../../../shared/app/sight/send-canaries.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { canaryAttribute } from '../../../shared/domain/sight/canary.ts';
import type { VirtualClock } from './clock.ts';
import type { Random } from './instances.ts';
import type { Story } from './story.ts';

type Span = { from: number; until: number };

/** When the ways from cameras to the service are closed, and for whom. */
export type Sky = {
  /** Nobody takes what Pub/Sub delivers. */
  ingest: Span[];
  /** The broker is dead: what cameras say is lost. */
  broker: Span[];
  /** The bridge behind the broker is dead: what it missed is lost, or comes when it is back. */
  bridge: (Span & { isKept: boolean })[];
  /** The account of the canary is refused, by a fleet that lives. */
  canaries: Span[];
  /** Canaries go through the broker as well. */
  hasBrokerCanary: boolean;
};

const second = 1000;
const minute = 60 * second;

/** Each run has ways of its own to see nothing, from seconds to an hour long. */
export function skyOf(random: Random, { from, endsAt }: Story): Sky {
  const spans = (most: number, longest: number): Span[] =>
    Array.from({ length: random.below(most + 1) }, () => {
      const start = from + random.below(endsAt - from);
      // As often seconds as minutes or an hour.
      const length = 5 * second * (longest / (5 * second)) ** random.next();
      return { from: start, until: Math.min(start + length, endsAt) };
    });
  return {
    ingest: spans(2, 60 * minute),
    broker: spans(1, 40 * minute),
    bridge: spans(1, 40 * minute).map((span) => ({ ...span, isKept: random.chance(0.5) })),
    canaries: spans(1, 60 * minute),
    hasBrokerCanary: random.chance(0.8),
  };
}

/** A clear sky. */
export const clear: Sky = { ingest: [], broker: [], bridge: [], canaries: [], hasBrokerCanary: true };

function during<S extends Span>(spans: readonly S[], ms: number): S | undefined {
  return spans.find(({ from, until }) => ms >= from && ms < until);
}

/** Whether ingest stands. */
export function stands({ ingest }: Sky, ms: number): boolean {
  return during(ingest, ms) !== undefined;
}

/** When what is said on the broker now is published; null: never. */
export function publishedAt({ broker, bridge }: Sky, ms: number): number | null {
  if (during(broker, ms)) return null;
  const dead = during(bridge, ms);
  if (!dead) return ms;
  return dead.isKept ? Math.ceil(dead.until) : null;
}

export const seal = createCanarySeal(Buffer.alloc(32, 7));

/** The canaries of the sweep, on the ways as they are. */
export function canariesUnder(sky: Sky, clock: VirtualClock, publish: (message: Message) => void): Canaries {
  let count = 0;
  const publishAs = (attributes: Record<string, string>, body: string) => {
    count += 1;
    publish({ messageId: `canary-${count}`, publishTime: clock.now(), attributes, data: Buffer.from(body) });
  };
  const ingest: CanarySender = { send: async (_, body) => publishAs({ [canaryAttribute]: 'ingest' }, body) };
  const broker: CanarySender = {
    async send(_, body) {
      const now = clock.ms();
      if (during(sky.broker, now) || during(sky.canaries, now)) throw new Error('the broker refuses the connection');
      const at = publishedAt(sky, now);
      if (at !== null) clock.after(at - now, () => publishAs({ deviceId: 'watchpost', kind: 'canary' }, body));
    },
  };
  return { seal, senders: sky.hasBrokerCanary ? { ingest, broker } : { ingest } };
}
