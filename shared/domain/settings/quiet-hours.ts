import type { QuietHours } from '../../schema/settings/settings.ts';
import type { Severity } from '../../schema/vocabulary.ts';
import { type Instant, plus } from '../time.ts';
import { isWithin, type ScheduleSettings } from './schedules.ts';

const minute = 60_000;
/** Steps in which the end is looked for, minutes: what is quiet for less between them is none. */
const step = 15;
const week = 7 * 24 * 60;

/**
 * Until when what begins now with a severity waits; null: it is notified at once. The clock on the wall is asked, so that a change of daylight
 * saving ends the night when that clock says so. Hours without an end in a week hold nothing: nobody would ever be notified.
 */
export function quietUntil(
  hours: QuietHours | undefined,
  settings: ScheduleSettings,
  severity: Severity,
  at: Instant,
): Instant | null {
  const { schedule, hold = [] } = hours ?? {};
  if (schedule === undefined || !hold.some((held) => held === severity)) return null;
  const isQuiet = (instant: Instant) => isWithin(schedule, instant, settings) === true;
  if (!isQuiet(at)) return null;
  const whole = plus(at, -(Date.parse(at) % minute));
  const after = (minutes: number) => plus(whole, minutes * minute);
  for (let coarse = step; coarse <= week; coarse += step) {
    if (isQuiet(after(coarse))) continue;
    let minutes = coarse - step + 1;
    while (isQuiet(after(minutes))) minutes += 1;
    return after(minutes);
  }
  return null;
}
