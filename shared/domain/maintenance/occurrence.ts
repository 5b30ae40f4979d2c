import type { MaintenanceWindowInput, Recurrence } from '../../schema/maintenance/window.ts';
import { localTimeAt } from '../settings/local-time.ts';
import { isInPeriod, minutesOf } from '../settings/schedules.ts';
import { earliest, type Instant, plus } from '../time.ts';

type Times = Pick<MaintenanceWindowInput, 'startsAt' | 'endsAt' | 'recurrence'>;

/** The end of the occurrence of a window that is active at `at`. Null: it is not active then. */
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
/** Daylight saving moves a clock by one hour, in some places perhaps by two. */
const mostPutMinutes = 120;

/**
 * The first minute at which the window is not active, searched near its end on a day without a clock change. It is compared with local
 * time, so that a window ends at the right local time when daylight saving changes.
 */
function endNear(ahead: number, at: Instant, holdsAt: (instant: Instant) => boolean): Instant {
  const whole = plus(at, -(Date.parse(at) % minute));
  let minutes = Math.max(0, ahead - mostPutMinutes);
  while (minutes < ahead + mostPutMinutes && holdsAt(plus(whole, minutes * minute))) minutes += 1;
  return plus(whole, minutes * minute);
}
