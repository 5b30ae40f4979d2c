import { type Instant, msBetween } from '../../domain/time.ts';

/** Answers that are kept for a while, by key. */
export type Kept<T> = (key: string, now: Instant, read: () => Promise<T>) => Promise<T>;

/**
 * Keeps what was read for `forMs`. Calls that come together share one read, and a read that failed is not kept.
 * @param most the number of answers that are kept; the oldest is forgotten first
 */
export function createKept<T>(forMs: number, most: number): Kept<T> {
  const answers = new Map<string, { at: Instant; answer: Promise<T> }>();
  return (key, now, read) => {
    const known = answers.get(key);
    if (known && msBetween(known.at, now) < forMs) return known.answer;
    const answer = read();
    const entry = { at: now, answer };
    answers.delete(key);
    answers.set(key, entry);
    for (const oldest of answers.keys()) {
      if (answers.size <= most) break;
      answers.delete(oldest);
    }
    answer.catch(() => {
      if (answers.get(key) === entry) answers.delete(key);
    });
    return answer;
  };
}
