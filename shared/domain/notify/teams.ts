import type { Life } from '../alert/alert.ts';
import { operationsTeam } from '../settings/settings.ts';
import { type Contact, contactKey, contactsOf, contactsOfPeople, type TeamRecord } from './team.ts';

type Teams = ReadonlyMap<string, TeamRecord>;

/** The contacts of a team by its name: its own contacts, or those of its people if it has none. Empty if the team does not exist. */
export function contactsOfTeam(teams: Teams, name: string): Contact[] {
  const team = teams.get(name);
  if (!team) return [];
  const own = contactsOf(team);
  return unique(own.length > 0 ? own : contactsOfPeople(team));
}

/** All contacts of a team: its own and those of its people. */
export function everybodyIn(team: TeamRecord): Contact[] {
  return unique([...contactsOf(team), ...contactsOfPeople(team)]);
}

/** The team that is notified of the opening. A team without contacts is replaced by `operations`, because the wrong people are better than nobody. */
export function openingTeam({ notifiedTeam }: Pick<Life, 'notifiedTeam'>, teams: Teams): string {
  return notifiedTeam && contactsOfTeam(teams, notifiedTeam).length > 0 ? notifiedTeam : operationsTeam;
}

/** Why a team cannot be notified. */
export function unreachable(teams: Teams, name: string): string {
  return teams.has(name) ? `The team ${name} has no contacts` : `There is no team ${name}`;
}

/** Each receiver once, even if several teams or entries contain it. */
export function unique(contacts: readonly Contact[]): Contact[] {
  return [...new Map(contacts.toReversed().map((contact) => [contactKey(contact), contact])).values()].toReversed();
}
