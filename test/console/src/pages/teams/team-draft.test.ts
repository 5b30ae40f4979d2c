import { expect, test } from 'vitest';
import { bodyOf, draftOf, keyOfNew, kindOf, pointerOf } from '../../../../../console/src/pages/teams/team-draft.ts';
import { byAddressMember } from '../../../../../shared/schema/channels.ts';
import type { Team } from '../../../../../shared/schema/settings/team.ts';

const team: Team = {
  ...byAddressMember((): string[] => []),
  name: 'night',
  emails: ['ops@example.com'],
  phones: ['+46701234569'],
  chats: [{ chatId: 'c1', kind: 'slack', url: 'https://hooks.slack.com/…' }],
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

test('a team that nobody changes is sent as it is, with its stand-ins and the ids of its chats', () => {
  const { name: _, handoffs: __, changedAt: ___, ...contacts } = team;
  expect(bodyOf(draftOf(team))).toEqual(contacts);
});

test('a number may be written with spaces, and an empty row is no contact', () => {
  const draft = draftOf(team);
  draft.contacts.push({ kind: 'sms', value: ' +46 (70) 123-45 70 ' }, { kind: 'email', value: ' ' });
  expect(bodyOf(draft)).toMatchObject({ emails: ['ops@example.com'], phones: ['+46701234569', '+46701234570'] });
});

test('a new person gets an id from the name, also where a rotation and a step name them', () => {
  const draft = draftOf(team);
  const key = keyOfNew(draft.people);
  draft.people.push({ key, name: 'Åsa  Öberg', email: '', phone: '+46 70 1' }, {
    ...draft.people[0],
    key: `${key}2`,
  } as never);
  draft.rotations[0]?.people.push(key);
  draft.steps[1] = { afterMinutes: '10', who: `person ${key}`, channels: [] };
  const { people, rotations, escalation } = bodyOf(draft);
  expect(people?.map(({ personId }) => personId)).toEqual(['anna', 'bo', 'asa-oberg', 'anna-berg']);
  expect(rotations?.[0]?.people).toEqual(['anna', 'bo', 'asa-oberg']);
  expect(escalation?.steps[1]).toEqual({ afterMinutes: 10, personId: 'asa-oberg' });
});

test('the service names a row by where the request has it', () => {
  const draft = draftOf(team);
  draft.contacts = [
    { kind: 'teams', value: 'https://a' },
    { kind: 'sms', value: '' },
    { kind: 'sms', value: '+46 1' },
    { kind: 'slack', value: 'https://b' },
    { kind: 'sms', value: '+46 2' },
  ];
  const pointers = draft.contacts.map((_, index) => pointerOf(draft, index));
  expect(pointers).toEqual(['/chats/1', null, '/phones/0', '/chats/0', '/phones/1']);
});

test.each([
  ['+46 70 123 45 67', 'sms'],
  ['0701234567', 'sms'],
  ['ops@example.com', 'email'],
  ['https://hooks.slack.com/services/x', 'slack'],
  ['https://chat.googleapis.com/v1/spaces/x', 'google-chat'],
  ['https://example.com/x', null],
  ['op', null],
])('the kind of a contact follows from what is typed: %s', (text, kind) => {
  expect(kindOf(text)).toBe(kind);
});
