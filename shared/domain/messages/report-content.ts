import type { AvailabilityReport } from '../../schema/ledger/report.ts';
import { spellTime } from '../settings/local-time.ts';
import type { MessageContent } from './content.ts';
import { counted } from './phrases.ts';

/** The mail that carries a report: what it says in short, and how to read it. */
export function reportContent(
  { from, to, timeZone, total, worst, outagesInAll, checkpoint }: AvailabilityReport,
  { name, period }: { name: string; period: string },
  link: string,
): MessageContent {
  const title = `Availability, ${period}: ${name}`;
  const { uncertainIsDown, uncertainIsUp } = total.availability;
  const seen =
    uncertainIsDown === null || uncertainIsUp === null
      ? 'No time of this period counts: nothing was recorded of it, or all of it is excused.'
      : `${camerasOf(total.devices)} seen ${uncertainIsDown} % to ${uncertainIsUp} % of the time that counts.`;
  const missing = total.minutes.notRecorded;
  const [least] = worst;
  const lines = [
    seen,
    `From ${spellTime(from, timeZone)} to ${spellTime(to, timeZone)}.`,
    ...(least ? [`Seen least: ${least.name ?? least.id}, at most ${least.availability.uncertainIsUp} %.`] : []),
    `Outages that were recorded: ${outagesInAll}.`,
    ...(missing >= 1 ? [`Not recorded: ${counted(Math.round(missing), 'minute')} of cameras.`] : []),
    `The PDF says how this was counted${checkpoint === null ? '' : ', and how anybody can check it'}. The CSV has each row of it.`,
  ];
  const links = [{ text: 'Open the reports', url: link }];
  return { severity: null, priority: null, title, lines, links, short: [title, seen] };
}

function camerasOf(count: number): string {
  return count === 1 ? '1 camera was' : `${count} cameras were`;
}
