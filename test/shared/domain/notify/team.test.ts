import { expect, test } from 'vitest';
import {
  contactsOfTeam,
  emptyTeam,
  everybodyIn,
  openingTeam,
  type TeamRecord,
  unreachable,
} from '../../../../shared/domain/notify/team.ts';

const person = (personId: string, given: object) => ({ personId, name: personId, ...given });
const team = (name: string, given: Partial<TeamRecord>) => [name, { ...emptyTeam(name), ...given }] as const;
const teams = new Map<string, TeamRecord>([
  team('night', {
    emails: ['night@example.com', 'NIGHT@example.com'],
    people: [person('eva', { email: 'eva@example.com' })],
  }),
  team('people', { people: [person('bo', { email: 'bo@example.com', phone: '+46700000000' }), person('al', {})] }),
  team('nobody', {}),
]);
const names = (contacts: { name: string }[]) => contacts.map(({ name }) => name);

test('a team is reached at its own contacts, or at those of its people where it has none', () => {
  expect(names(contactsOfTeam(teams, 'night'))).toEqual(['night@example.com']);
  expect(names(contactsOfTeam(teams, 'people'))).toEqual(['bo bo@example.com', 'bo +46700000000']);
  expect(contactsOfTeam(teams, 'nobody')).toEqual([]);
  expect(contactsOfTeam(teams, 'missing')).toEqual([]);
});

test('everybody is in it once, its own contacts first', () => {
  expect(names(everybodyIn(teams.get('night') ?? emptyTeam('')))).toEqual(['night@example.com', 'eva eva@example.com']);
});

test('an opening goes to the team of its rule if that can be reached, and else to operations', () => {
  expect(openingTeam({ notifiedTeam: 'night' }, teams)).toBe('night');
  for (const notifiedTeam of ['nobody', 'missing', null])
    expect(openingTeam({ notifiedTeam }, teams)).toBe('operations');
  expect(unreachable(teams, 'nobody')).toBe('The team nobody has no contacts');
  expect(unreachable(teams, 'missing')).toBe('There is no team missing');
});
