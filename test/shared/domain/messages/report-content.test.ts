import { expect, test } from 'vitest';
import { reportContent } from '../../../../shared/domain/messages/report-content.ts';
import type { AvailabilityReport } from '../../../../shared/schema/ledger/report.ts';

type Shares = { uncertainIsDown: number | null; uncertainIsUp: number | null };
const report = (given: object = {}, availability: Shares = { uncertainIsDown: 98.5, uncertainIsUp: 99 }) =>
  ({
    ...{ from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z', timeZone: 'UTC', outagesInAll: 3 },
    ...{ total: { devices: 2, availability, minutes: { notRecorded: 0 } }, worst: [], checkpoint: 'note', ...given },
  }) as unknown as AvailabilityReport;
const linesOf = (given?: object, availability?: Shares) =>
  reportContent(report(given, availability), { name: 'Harbour', period: '2026-11' }, 'https://c.example/reports');
const total = (devices: number, notRecorded = 0) => ({
  total: { devices, availability: { uncertainIsDown: 98.5, uncertainIsUp: 99 }, minutes: { notRecorded } },
});

test('the mail of a report says in short how long cameras were seen, and how to check it', () => {
  expect(linesOf()).toEqual({
    severity: null,
    priority: null,
    title: 'Availability, 2026-11: Harbour',
    lines: [
      '2 cameras were seen 98.5 % to 99 % of the time that counts.',
      'From 1 Nov 2026, 00:00 UTC to 1 Dec 2026, 00:00 UTC.',
      'Outages that were recorded: 3.',
      'The PDF says how this was counted, and how anybody can check it. The CSV has each row of it.',
    ],
    links: [{ text: 'Open the reports', url: 'https://c.example/reports' }],
    short: ['Availability, 2026-11: Harbour', '2 cameras were seen 98.5 % to 99 % of the time that counts.'],
  });
});

test('and what differs: one camera, the one seen least, and what was not recorded', () => {
  expect(linesOf(total(1)).lines[0]).toBe('1 camera was seen 98.5 % to 99 % of the time that counts.');
  const worst = (name: string | null) => ({ worst: [{ id: 'cam-1', name, availability: { uncertainIsUp: 71.2 } }] });
  expect(linesOf(worst('Door')).lines[2]).toBe('Seen least: Door, at most 71.2 %.');
  expect(linesOf(worst(null)).lines[2]).toBe('Seen least: cam-1, at most 71.2 %.');
  expect(linesOf(total(2, 0.99)).lines).toHaveLength(4);
  expect(linesOf(total(2, 1)).lines[3]).toBe('Not recorded: 1 minute of cameras.');
  expect(linesOf(total(2, 61.6)).lines[3]).toBe('Not recorded: 62 minutes of cameras.');
});

test('without a ledger nobody can check it, and without time that counts there is no share', () => {
  expect(linesOf({ checkpoint: null }).lines.at(-1)).toBe(
    'The PDF says how this was counted. The CSV has each row of it.',
  );
  const said = 'No time of this period counts: nothing was recorded of it, or all of it is excused.';
  expect(linesOf({}, { uncertainIsDown: null, uncertainIsUp: 99 }).lines[0]).toBe(said);
  expect(linesOf({}, { uncertainIsDown: 98, uncertainIsUp: null }).lines[0]).toBe(said);
});
