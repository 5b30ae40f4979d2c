import type { Fault } from '../../errors.ts';
import type { Period, Settings } from '../../schema/settings/settings.ts';
import { type Weekday, weekdays } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';
import { type LocalTime, localTimeAt } from './local-time.ts';

/** The part of the settings that defines schedules. */
export type ScheduleSettings = Pick<Settings, 'timeZone' | 'businessHours' | 'schedules'>;

/** Whether a named schedule is active at an instant. Null where no schedule has that name. */
export function isWithin(name: string, at: Instant, settings: ScheduleSettings): boolean | null {
  switch (name) {
    case 'always':
      return true;
    case 'business_hours':
      return isInPeriods(settings.businessHours, localTimeAt(at, settings.timeZone));
    case 'outside_business_hours':
      return !isInPeriods(settings.businessHours, localTimeAt(at, settings.timeZone));
    case 'night':
      return isInPeriod(night, localTimeAt(at, settings.timeZone));
    default: {
      const own = Object.hasOwn(settings.schedules, name) ? settings.schedules[name] : undefined;
      return own ? isInPeriods(own.periods, localTimeAt(at, own.timeZone ?? settings.timeZone)) : null;
    }
  }
}

const night: Period = { days: [...weekdays], from: '22:00', to: '07:00' };

function isInPeriods(periods: readonly Period[], local: LocalTime): boolean {
  return periods.some((period) => isInPeriod(period, local));
}

export function isInPeriod({ days, from, to }: Period, { weekday, minuteOfDay }: LocalTime): boolean {
  const [first, last] = [minutesOf(from), minutesOf(to)];
  const today = days.includes(weekday);
  if (first < last) return today && minuteOfDay >= first && minuteOfDay < last;
  // A period past midnight belongs to the day on which it began.
  return (today && minuteOfDay >= first) || (days.includes(dayBefore(weekday)) && minuteOfDay < last);
}

export function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

function dayBefore(weekday: Weekday): Weekday {
  return weekdays[(weekdays.indexOf(weekday) + 6) % 7] as Weekday;
}

/** A schedule that is named somewhere must exist. */
export function faultsOfSchedule(
  name: string | undefined,
  settings: ScheduleSettings,
  now: Instant,
  pointer: string,
): Fault[] {
  if (name === undefined || isWithin(name, now, settings) !== null) return [];
  return [{ pointer, detail: `there is no schedule ${name}` }];
}
