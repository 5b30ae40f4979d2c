import type { Life } from '../alert/alert.ts';
import { type Instant, later, msBetween, plus } from '../time.ts';

/** When people are told of a change, and the clock that starts with it. */
type ToldClocks = Pick<Life, 'toldAt' | 'respondBy'>;

/**
 * The clocks of a life after a change whose first message on any channel is planned at `plannedAt` (null: nobody is told of it). A response time that
 * the change starts does not begin before people are told: what was left of it counts from that message.
 * @param before the clocks before the change
 */
export function clocksTold(
  after: Life,
  { at, changes }: { at: Instant; changes: Partial<Life> },
  plannedAt: Instant | null,
  before: ToldClocks,
): ToldClocks {
  const own = 'toldAt' in changes ? after.toldAt : before.toldAt;
  const isStarted = 'respondBy' in changes && after.respondBy !== null;
  if (!isStarted) {
    const respondBy = 'respondBy' in changes ? after.respondBy : before.respondBy;
    return { toldAt: own ?? plannedAt, respondBy };
  }
  if (plannedAt === null || after.respondBy === null) return { toldAt: own, respondBy: after.respondBy };
  const lateMs = msBetween(at, later(at, plannedAt));
  return { toldAt: plannedAt, respondBy: plus(after.respondBy, lateMs) };
}
