import type { Delivery } from '../../../domain/delivery/delivery.ts';
import { type Instant, latest, plus } from '../../../domain/time.ts';

/** How often one process sends to a hand-off that takes no more than so many requests a minute. */
export type Pace = { turnAt(delivery: Delivery, perMinute: number | null, now: Instant): Instant | null };

const minute = 60_000;

export function createPace(): Pace {
  const lanes = new Map<string, { sent: Instant[]; promised: Instant }>();
  return {
    /** When a delivery may leave that is one too many; null: it leaves now. Each is given a time of its own. */
    turnAt({ targetName }, perMinute, now) {
      if (perMinute === null) return null;
      const lane = lanes.get(targetName) ?? { sent: [], promised: now };
      lanes.set(targetName, lane);
      lane.sent = lane.sent.filter((at) => at > plus(now, -minute));
      if (lane.sent.length < perMinute) {
        lane.sent.push(now);
        return null;
      }
      const free = plus(lane.sent[0] ?? now, minute);
      const next = plus(lane.promised, Math.ceil(minute / perMinute));
      lane.promised = latest(free, next) ?? next;
      return lane.promised;
    },
  };
}
