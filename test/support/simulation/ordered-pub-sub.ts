import type { Message } from '../../../shared/domain/intake/pushed.ts';
import type { VirtualClock } from './clock.ts';
import type { Random } from './instances.ts';

export type Retries = { maxAttempts: number | null; backoffMs: number; longestBackoffMs: number };
type Key = { name: string; waiting: Message[]; attempts: number };

/** Most concurrent push requests of Pub/Sub. */
const widest = 64;

/**
 * Pub/Sub push with ordering: messages of a key one at a time, each repeated with exponential backoff until it is accepted or has no attempt left.
 * The number of concurrent requests grows after successes and halves after a failure.
 */
export function createOrderedPubSub(
  { clock, random }: { clock: VirtualClock; random: Random },
  { maxAttempts, backoffMs, longestBackoffMs }: Retries,
  handle: (message: Message, isRepeat: boolean) => Promise<void>,
  giveUp: (message: Message) => Promise<void>,
) {
  const keys = new Map<string, Key>();
  const ready: Key[] = [];
  const counts = { taken: 0, tries: 0, mostAttempts: 0, lastTakenMs: 0, waiting: 0 };
  let window = widest;
  let open = 0;
  const next = (key: Key) => {
    key.waiting.shift();
    key.attempts = 0;
    counts.waiting -= 1;
    if (key.waiting.length > 0) ready.push(key);
  };
  const attempt = async (key: Key, message: Message) => {
    key.attempts += 1;
    counts.tries += 1;
    counts.mostAttempts = Math.max(counts.mostAttempts, key.attempts);
    try {
      await handle(message, key.attempts > 1);
      counts.taken += 1;
      counts.lastTakenMs = clock.ms();
      window = Math.min(widest, window + 1);
      next(key);
    } catch {
      window = Math.max(1, window / 2);
      if (key.attempts === maxAttempts) {
        // The message goes to the dead-letter topic, and the next one follows.
        void giveUp(message);
        next(key);
      } else {
        const pauseMs = Math.min(longestBackoffMs, backoffMs * 2 ** (key.attempts - 1)) * (0.75 + random.next() / 2);
        clock.after(pauseMs, () => {
          ready.push(key);
          pump();
        });
      }
    }
    open -= 1;
    pump();
  };
  const pump = () => {
    while (open < Math.floor(window)) {
      const key = ready.shift();
      const [message] = key?.waiting ?? [];
      if (!key || !message) return;
      open += 1;
      void attempt(key, message);
    }
  };
  return {
    counts,
    publish(name: string, message: Message): void {
      const key = keys.get(name) ?? { name, waiting: [], attempts: 0 };
      keys.set(name, key);
      key.waiting.push(message);
      counts.waiting += 1;
      if (key.waiting.length === 1) ready.push(key);
      pump();
    },
  };
}
