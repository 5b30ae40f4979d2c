import { type LocalTime, localTimeAt, type Weekday, weekdays } from './local-time.ts';
import type { Instant } from './time.ts';

/** From the one minute up to the other, `HH:MM`; `to` at or before `from` lies on the next day. */
export type Period = { days: readonly Weekday[]; from: string; to: string };

/** The part of the settings that says when a schedule holds. A schedule without a zone of its own follows `timeZone`. */
export type ScheduleSettings = {
  timeZone: string;
  businessHours: readonly Period[];
  schedules: Readonly<Record<string, { timeZone?: string; periods: readonly Period[] }>>;
};

/** Whether a named schedule holds at an instant; null where there is no schedule of that name. */
export function isWithin(name: string, at: Instant, settings: ScheduleSettings): boolean | null {
  switch (name) {
    case 'always':
      return true;
    case 'business_hours':
      return isInPeriods(settings.businessHours, localTimeAt(at, settings.timeZone));
    case 'outside_business_hours':
      return !isInPeriods(settings.businessHours, localTimeAt(at, settings.timeZone));
    default: {
      const own = Object.hasOwn(settings.schedules, name) ? settings.schedules[name] : undefined;
      return own ? isInPeriods(own.periods, localTimeAt(at, own.timeZone ?? settings.timeZone)) : null;
    }
  }
}

function isInPeriods(periods: readonly Period[], local: LocalTime): boolean {
  return periods.some((period) => isInPeriod(period, local));
}

function isInPeriod({ days, from, to }: Period, { weekday, minuteOfDay }: LocalTime): boolean {
  const [first, last] = [minutesOf(from), minutesOf(to)];
  const today = days.includes(weekday);
  if (first < last) return today && minuteOfDay >= first && minuteOfDay < last;
  // It runs past midnight: its second half belongs to the day on which it began.
  return (today && minuteOfDay >= first) || (days.includes(dayBefore(weekday)) && minuteOfDay < last);
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

function dayBefore(weekday: Weekday): Weekday {
  return weekdays[(weekdays.indexOf(weekday) + 6) % 7] as Weekday;
}
