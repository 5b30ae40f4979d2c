import type { Schemas } from '../../../../sdk/typescript/src/index.ts';
import type { Fault, Reference, Shown } from './kind.ts';

type Team = Schemas['TeamContacts'];

const stepsOf = (escalation: unknown) => (escalation as Team['escalation'])?.steps ?? [];

/** The teams that the steps of an escalation policy name. */
export function stepReferences(escalation: unknown): Reference[] {
  return stepsOf(escalation).flatMap(({ team }, at) =>
    team === undefined ? [] : [{ to: 'team' as const, name: team, path: ['escalation', 'steps', at, 'team'] }],
  );
}

/** Names of people and rotations in a team that it does not have. */
export function faultsWithin(team: Shown): Fault[] {
  const { people = [], rotations = [], escalation } = team as Team;
  const known = new Set(people.map(({ personId }) => personId));
  const named = [
    ...rotations.flatMap(({ people: turns, overrides = [] }, at) => [
      ...turns.map((personId, turn) => ({ personId, path: ['rotations', at, 'people', turn] })),
      ...overrides.map(({ personId }, each) => ({ personId, path: ['rotations', at, 'overrides', each, 'personId'] })),
    ]),
    ...stepsOf(escalation).flatMap(({ personId }, at) =>
      personId === undefined ? [] : [{ personId, path: ['escalation', 'steps', at, 'personId'] }],
    ),
  ];
  const unknown = named.filter(({ personId }) => !known.has(personId));
  const turnless = stepsOf(escalation).flatMap(({ onCall }, at) =>
    onCall === undefined || rotations.length > 0 ? [] : [['escalation', 'steps', at, 'onCall']],
  );
  return [
    ...unknown.map(({ personId, path }) => ({ path, detail: `names nobody of the people of the team: "${personId}"` })),
    ...turnless.map((path) => ({ path, detail: 'needs `rotations` of the team' })),
  ];
}
