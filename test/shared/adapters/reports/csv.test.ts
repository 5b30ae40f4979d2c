import { expect, test } from 'vitest';
import { csvOf } from '../../../../shared/adapters/reports/csv.ts';
import type { AvailabilityReport } from '../../../../shared/schema/ledger/report.ts';

const minutes = {
  seen: 10,
  lost: 0.5,
  silent: 0,
  uncertain: 0,
  planned: 0,
  platform: 0,
  notRegistered: 0,
  notRecorded: 0,
};
const part = (id: string, name: string | null) => ({
  id,
  name,
  devices: 1,
  minutes,
  availability: { uncertainIsDown: 95.238, uncertainIsUp: null },
});

test('each part of a report is a row, and a name cannot become a formula or another cell', () => {
  const report = {
    by: 'device',
    parts: [part('cam-1', '=1+1'), part('cam-2', 'Gate, "north"')],
    total: part('total', null),
  } as unknown as AvailabilityReport;
  expect(csvOf(report).split('\r\n')).toEqual([
    'device,name,devices,seenMinutes,lostMinutes,silentMinutes,uncertainMinutes,plannedMinutes,platformMinutes,notRegisteredMinutes,notRecordedMinutes,uncertainIsDownPercent,uncertainIsUpPercent',
    "cam-1,'=1+1,1,10,0.5,0,0,0,0,0,0,95.238,",
    'cam-2,"Gate, ""north""",1,10,0.5,0,0,0,0,0,0,95.238,',
    'total,,1,10,0.5,0,0,0,0,0,0,95.238,',
    '',
  ]);
});
