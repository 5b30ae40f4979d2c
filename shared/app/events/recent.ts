import type { EventRecord } from '../../domain/event/event.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { type Position, positionAt } from '../commit-order.ts';
import type { World } from '../ports.ts';

const firstSpanMs = 60_000;
/** Each span of time that is read is this many times longer than the newer one before it. */
const growth = 4;
const pageSize = 500;

type Recent = { events: EventRecord[]; isComplete: boolean };

/**
 * The newest events under some topics, newest first. The store reads them in the order of their commits only, so spans of time are read, newest
 * first.
 * @param most how many at most. `isComplete`: there are no more back to `since`
 */
export async function recentEvents(
  { store, now }: Pick<World, 'store' | 'now'>,
  topics: readonly string[],
  since: Instant,
  most: number,
): Promise<Recent> {
  const events: EventRecord[] = [];
  let until: Instant | null = null;
  for (let spanMs = firstSpanMs; ; spanMs *= growth) {
    const start = plus(until ?? now(), -spanMs);
    const from = start > since ? start : since;
    const within = await between(
      store,
      topics,
      positionAt(from),
      until === null ? null : positionAt(until),
      growth * most + pageSize,
    );
    if (!within) return { events, isComplete: false };
    events.push(...within.toReversed());
    if (events.length > most) return { events: events.slice(0, most), isComplete: false };
    if (from === since) return { events, isComplete: true };
    until = from;
  }
}

/** All events between two positions, oldest first. Null: there are more than `most`. */
async function between(
  store: World['store'],
  topics: readonly string[],
  from: Position,
  until: Position | null,
  most: number,
): Promise<EventRecord[] | null> {
  const events: EventRecord[] = [];
  const where = [{ field: 'topics', is: 'array-contains-any', value: topics } as const];
  for (let after = from; ; ) {
    const { found, ahead } = await store.tail({ in: 'events', where, after, limit: pageSize });
    const page = [...found, ...ahead].filter(({ position }) => until === null || position < until);
    events.push(...page.map(({ data }) => data));
    if (events.length > most) return null;
    const last = found.at(-1);
    if (!last || page.length < pageSize) return events;
    after = last.position;
  }
}
