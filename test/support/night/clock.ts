import { nightBegins, timeZone } from './live.ts';
import type { Span } from './script.ts';

export const minute = 60;

/** On a clock without seconds. */
export const clockSlack = 60;

const clocks = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** The clock of a second of the night. */
export function clockAt(second: number): string {
  return clocks.format(nightBegins + second * 1000);
}

/** Whether a clock, read at a second, lies in a span, within the minute that a clock without seconds leaves open. */
export function isNear(text: string | null, { from, to }: Span, second: number): boolean {
  const [hours, minutes] = (/(\d\d):(\d\d)$/.exec(text ?? '') ?? []).slice(1).map(Number);
  if (hours === undefined || minutes === undefined) return false;
  const [nowHours = 0, nowMinutes = 0] = clockAt(second + clockSlack)
    .split(':')
    .map(Number);
  const back = (nowHours * 60 + nowMinutes - hours * 60 - minutes + 1440) % 1440;
  const meant = Math.floor((second + clockSlack) / 60) * 60 - back * 60;
  return meant <= to + clockSlack && meant + 60 >= from - clockSlack;
}

export function spansText(spans: readonly Span[], second: number): string {
  const past = spans.filter(({ from }) => from <= second).slice(-3);
  if (past.length === 0) return 'never was';
  return past.map(({ from, to }) => `${clockAt(from)} to ${to <= second ? clockAt(to) : 'now'}`).join(', ');
}
