import type { MaintenanceWindowInput, Recurrence } from '../../schema/maintenance/window.ts';
import { localTimeAt } from '../settings/local-time.ts';
import { isInPeriod, minutesOf } from '../settings/schedules.ts';
import { earliest, type Instant, plus } from '../time.ts';

type Times = Pick<MaintenanceWindowInput, 'startsAt' | 'endsAt' | 'recurrence'>;

/** Until when a window holds that holds at `at`; null: it does not hold then. */
export function heldUntil({ startsAt, endsAt, recurrence }: Times, at: Instant, timeZone: string): Instant | null {
  if (recurrence) return occurrenceUntil(recurrence, at, timeZone);
  return startsAt !== undefined && endsAt !== undefined && startsAt <= at && at < endsAt ? endsAt : null;
}

function occurrenceUntil(recurrence: Recurrence, at: Instant, zoneOfSettings: string): Instant | null {
  const { weekdays, from, to, timeZone = zoneOfSettings, until } = recurrence;
  if (until !== undefined && until <= at) return null;
  const holdsAt = (instant: Instant) => isInPeriod({ days: weekdays, from, to }, localTimeAt(instant, timeZone));
  if (!holdsAt(at)) return null;
  const ahead = (minutesOf(to) - localTimeAt(at, timeZone).minuteOfDay + day) % day || day;
  return earliest([endNear(ahead, at, holdsAt), until]);
}

const minute = 60_000;
const day = 24 * 60;
/** A clock is put forward or back by an hour; somewhere it may be two. */
const mostPutMinutes = 120;

/**
 * The first minute at which it does not hold, near the one at which it ends on a day without a change of the clock. The clock on the wall
 * is asked, so that a change of daylight saving ends it when that clock says so.
 */
function endNear(ahead: number, at: Instant, holdsAt: (instant: Instant) => boolean): Instant {
  const whole = plus(at, -(Date.parse(at) % minute));
  let minutes = Math.max(0, ahead - mostPutMinutes);
  while (minutes < ahead + mostPutMinutes && holdsAt(plus(whole, minutes * minute))) minutes += 1;
  return plus(whole, minutes * minute);
}
