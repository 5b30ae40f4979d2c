import { createCanarySeal } from '../../../shared/adapters/sight/canary-seal.ts';
import type { CanarySender } from '../../../shared/app/ports.ts';
import type { Canaries } from '../../../shared/app/sight/send-canaries.ts';
import type { Message } from '../../../shared/domain/intake/pushed.ts';
import { canaryAttribute } from '../../../shared/domain/sight/canary.ts';
import type { VirtualClock } from './clock.ts';
import type { Random } from './instances.ts';
import type { Story } from './story.ts';

type Span = { from: number; until: number };

/** The periods in which a part of the path from cameras to the service does not work, in milliseconds since the epoch. */
export type Sky = {
  /** No handler accepts Pub/Sub's messages. */
  ingest: Span[];
  /** The broker is down: messages of cameras are lost. */
  broker: Span[];
  /** The bridge is down: missed messages are lost, or arrive when it is back. */
  bridge: (Span & { isKept: boolean })[];
  /** The canary's account is refused while cameras work. */
  canaries: Span[];
  /** Canaries go through the broker as well. */
  hasBrokerCanary: boolean;
};

const second = 1000;
const minute = 60 * second;

/** Each run has random periods of blindness, from seconds to an hour. */
export function skyOf(random: Random, { from, endsAt }: Story): Sky {
  const spans = (most: number, longest: number): Span[] =>
    Array.from({ length: random.below(most + 1) }, () => {
      const start = from + random.below(endsAt - from);
      // A logarithmic distribution from 5 seconds to the longest time.
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

/** No disturbance of any path. */
export const clear: Sky = { ingest: [], broker: [], bridge: [], canaries: [], hasBrokerCanary: true };

function during<S extends Span>(spans: readonly S[], ms: number): S | undefined {
  return spans.find(({ from, until }) => ms >= from && ms < until);
}

/** Whether ingest stands still: no handler accepts messages. */
export function stands({ ingest }: Sky, ms: number): boolean {
  return during(ingest, ms) !== undefined;
}

/** When a message that is sent to the broker now is published. Null: never. */
export function publishedAt({ broker, bridge }: Sky, ms: number): number | null {
  if (during(broker, ms)) return null;
  const dead = during(bridge, ms);
  if (!dead) return ms;
  return dead.isKept ? Math.ceil(dead.until) : null;
}

export const seal = createCanarySeal(Buffer.alloc(32, 7));

/** The canary senders for the present state of the paths. */
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
