const at = '2026-11-20T10:00:00.000Z';

const input = {
  name: 'Cameras of the harbour',
  every: 'month',
  timeZone: 'Europe/Stockholm',
  by: 'site',
  groups: ['north'],
  emails: ['owner@example.com'],
};

const schedule = {
  scheduleId: '7f3a1c52-7d1e-4c55-8c55-2d0f6c1f2b80',
  ...{ ...input, by: 'site', enabled: true },
  next: { from: '2026-10-31T23:00:00.000Z', to: '2026-11-30T23:00:00.000Z', sendAt: '2026-12-02T05:00:00.000Z' },
  last: null,
  ...{ limitedTo: null, createdBy: 'user:7f3a', createdAt: at, changedAt: at },
};

/** Examples of reports by mail, by the name of their schema. */
export const reportExamples = {
  ReportScheduleInput: input,
  ReportSchedule: schedule,
  ReportScheduleList: { schedules: [schedule] },
};
