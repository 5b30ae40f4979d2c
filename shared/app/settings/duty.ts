import type { Configuration } from '../../domain/notify/configuration.ts';
import type { TeamRecord } from '../../domain/notify/team.ts';
import { faultsOfPolicy } from '../../domain/settings/escalation.ts';
import { faultsOfPeople, faultsOfRotations } from '../../domain/settings/on-call.ts';
import { faultsOfQuietHours } from '../../domain/settings/settings.ts';
import type { Fault } from '../../errors.ts';
import type { Person } from '../../schema/settings/on-call.ts';

type Duty = Pick<TeamRecord, 'people' | 'rotations' | 'escalation' | 'quietHours'>;

/** The members of a team beside its contacts, without empty ones. */
export function dutyOf({ people = [], rotations = [], escalation, quietHours }: Duty): Duty {
  return {
    ...(people.length > 0 ? { people } : {}),
    ...(rotations.length > 0 ? { rotations } : {}),
    ...(escalation ? { escalation } : {}),
    ...(quietHours ? { quietHours } : {}),
  };
}

/** Each member at fault of a team's people, rotations, policy and quiet hours. */
export function faultsOfDuty(
  team: TeamRecord,
  { teams, settings }: Pick<Configuration, 'teams' | 'settings'>,
): Fault[] {
  const { name, people = [], rotations = [], escalation, quietHours } = team;
  const ids = new Set(people.map(({ personId }) => personId));
  const known = { teams: new Set([name, ...teams.keys()]), people: ids, rotations: rotations.length };
  return [
    ...faultsOfPeople(people),
    ...faultsOfRotations(rotations, ids),
    ...(escalation ? faultsOfPolicy(escalation, known) : []),
    ...faultsOfQuietHours(quietHours, settings),
  ];
}

/** A person with contacts as a bearer may see them. */
export function shownPerson({ email, phone, ...person }: Person, shown: (text: string) => string): Person {
  return {
    ...person,
    ...(email === undefined ? {} : { email: shown(email) }),
    ...(phone === undefined ? {} : { phone: shown(phone) }),
  };
}
