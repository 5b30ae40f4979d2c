/** Examples of a team's people, its rotation, and its escalation policy. */
export const duty = {
  people: [{ personId: 'anna', name: 'Anna Berg', email: 'anna@example.com', phone: '+46701234567' }],
  rotations: [{ people: ['anna'], handover: { weekday: 'mon', time: '08:00' }, timeZone: 'Europe/Stockholm' }],
  escalation: {
    steps: [
      { afterMinutes: 0, onCall: true },
      { afterMinutes: 15, team: 'operations', channels: ['sms'] },
    ],
    repeatMinutes: 30,
  },
  onCall: {
    team: 'night',
    at: '2026-11-20T10:00:00.000Z',
    rotations: [
      {
        now: { personId: 'anna', name: 'Anna Berg', from: null, to: null },
        next: null,
        turns: [{ personId: 'anna', name: 'Anna Berg', from: null, to: null }],
      },
    ],
  },
};
