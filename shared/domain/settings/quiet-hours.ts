import type { QuietHours } from '../../schema/settings/settings.ts';
import type { Severity } from '../../schema/vocabulary.ts';
import { type Instant, plus } from '../time.ts';
import { isWithin, type ScheduleSettings } from './schedules.ts';

const minute = 60_000;
/** Interval at which the end is searched, minutes. A shorter pause in the quiet hours is ignored. */
const step = 15;
const week = 7 * 24 * 60;

/**
 * Until when a notification of this severity waits. Null: it is sent at once. Uses local time, so that quiet hours end at the right local time when
 * daylight saving changes. Quiet hours without an end within a week are ignored, because nobody would ever be notified.
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
