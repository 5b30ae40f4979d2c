import { expect, test } from 'vitest';
import { dutyOf, dutyText } from '../../../../../console/src/pages/teams/duty-text.ts';
import { byAddressMember } from '../../../../../shared/schema/channels.ts';
import type { Team } from '../../../../../shared/schema/settings/team.ts';

const team: Team = {
  name: 'night',
  ...byAddressMember(() => []),
  chats: [],
  handoffs: [],
  changedAt: null,
  people: [
    { personId: 'anna', name: 'Anna Berg', email: 'anna@example.com', phone: '+46701234567' },
    { personId: 'bo', name: 'Bo', phone: '+46701234568' },
  ],
  rotations: [
    {
      people: ['anna', 'bo'],
      handover: { weekday: 'mon', time: '08:00' },
      timeZone: 'Europe/Stockholm',
      startsAt: '2026-11-16T08:00:00Z',
      overrides: [{ personId: 'bo', from: '2026-11-20T20:00:00Z', to: '2026-11-21T06:00:00Z' }],
    },
  ],
  escalation: {
    steps: [
      { afterMinutes: 0, onCall: true },
      { afterMinutes: 10, personId: 'bo', channels: ['sms', 'chat'] },
      { afterMinutes: 20, team: 'day by day' },
      { afterMinutes: 30, escalationTeam: true },
    ],
    repeatMinutes: 20,
  },
  quietHours: { schedule: 'night', hold: ['ERROR', 'WARNING'] },
};

test('the text of a team can be parsed back, and keeps members that no line shows', () => {
  const text = dutyText(team);
  expect(text.rotations).toBe('anna, bo from mon 08:00 in Europe/Stockholm');
  expect(text.steps.split('\n').slice(0, 2)).toEqual(['0 on call', '10 person bo by sms, chat']);
  expect(text.quiet).toBe('night hold ERROR, WARNING');
  const { people, rotations, escalation, quietHours } = team;
  expect(dutyOf(text, team)).toEqual({ duty: { people, rotations, escalation, quietHours }, wrong: [] });
});

test('overrides stay with their rotation when lines are deleted, moved or edited', () => {
  const days = team.rotations?.[0];
  const nights = {
    people: ['carl', 'dana'],
    handover: { weekday: 'fri', time: '18:00' },
    timeZone: 'Europe/Stockholm',
    startsAt: '2026-11-20T17:00:00Z',
  } as const;
  if (!days) throw new Error('the team has a rotation');
  const two = { ...team, rotations: [days, { ...nights, people: [...nights.people] }] };
  const text = dutyText(two);
  const [ofDays = '', ofNights = ''] = text.rotations.split('\n');
  const after = (...lines: string[]) => dutyOf({ ...text, rotations: lines.join('\n') }, two).duty.rotations;
  expect(after(ofNights)).toEqual([nights]);
  expect(after(ofNights, ofDays)).toEqual([nights, days]);
  expect(after('dana from fri 18:00 in Europe/Stockholm', ofDays)).toEqual([{ ...nights, people: ['dana'] }, days]);
  const eva = { people: ['eva'], handover: { weekday: 'mon', time: '08:00' }, timeZone: 'Europe/Stockholm' };
  // Edited in place, even with other people.
  expect(after('eva from mon 08:00 in Europe/Stockholm', ofNights)).toEqual([{ ...days, ...eva }, nights]);
  expect(after('nonsense', ofNights)).toEqual([nights]);
  // Added beside both, or instead of one that was deleted.
  expect(after(ofDays, ofNights, 'eva from mon 08:00 in Europe/Stockholm')).toEqual([days, nights, eva]);
  const three = [
    ...two.rotations,
    { ...days, handover: { weekday: 'sat' as const, time: '10:00' }, startsAt: '2026-11-21T09:00:00Z' },
  ];
  const ofThree = dutyText({ ...two, rotations: three });
  const [left] =
    dutyOf({ ...ofThree, rotations: 'anna, bo from sat 11:00 in Europe/Stockholm' }, { ...two, rotations: three }).duty
      .rotations ?? [];
  expect(left?.startsAt).toBe('2026-11-21T09:00:00Z');
});

test('a line that cannot be parsed is named; without any lines the policy of the settings applies', () => {
  const text = {
    people: 'anna',
    rotations: 'anna',
    steps: '0 anna\n5 on call',
    repeatMinutes: '30',
    quiet: 'night hold INFO',
  };
  expect(dutyOf(text, team).wrong).toEqual(['anna', 'anna', '0 anna', 'night hold INFO']);
  expect(dutyOf({ ...text, quiet: 'night hold nothing' }, team).duty.quietHours).toEqual({
    schedule: 'night',
    hold: [],
  });
  expect(dutyOf({ ...text, steps: ' \n' }, team).duty).not.toHaveProperty('escalation');
});
