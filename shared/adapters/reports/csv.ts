import { kindsOfTime } from '../../domain/ledger/account.ts';
import type { AvailabilityReport } from '../../schema/ledger/report.ts';

/** The parts of a report as CSV (RFC 4180), with the total last. */
export function csvOf({ by, parts, total }: AvailabilityReport): string {
  const header = [
    by,
    'name',
    'devices',
    ...kindsOfTime.map((kind) => `${kind}Minutes`),
    'uncertainIsDownPercent',
    'uncertainIsUpPercent',
  ];
  const rows = [...parts, total].map(({ id, name, devices, minutes, availability }) => [
    ...[id, name, devices],
    ...kindsOfTime.map((kind) => minutes[kind]),
    ...[availability.uncertainIsDown, availability.uncertainIsUp],
  ]);
  return [header, ...rows].map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** A text that a spreadsheet would execute as a formula gets a quote in front. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
