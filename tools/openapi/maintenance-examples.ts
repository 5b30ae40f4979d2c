const at = '2026-11-20T10:00:00.000Z';

const maintenance = {
  name: 'New switch',
  reason: 'Ticket 4711',
  scope: { sites: ['gbg-central'] },
  startsAt: '2026-11-22T22:00:00.000Z',
  endsAt: '2026-11-23T02:00:00.000Z',
};

/** Examples of maintenance windows, by the name of their schema. */
export const maintenanceExamples = {
  MaintenanceWindowInput: maintenance,
  MaintenanceWindow: {
    windowId: '7f3a1c52-7d1e-4c55-8c55-2d0f6c1f2b79',
    ...maintenance,
    state: 'planned',
    activeUntil: null,
    limitedTo: null,
    createdBy: 'user:7f3a',
    createdAt: at,
    changedAt: at,
  },
};
