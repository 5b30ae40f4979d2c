import type { Life } from '../alert/alert.ts';
import { operationsTeam } from '../settings/settings.ts';
import { type Contact, contactKey, contactsOf, contactsOfPeople, type TeamRecord } from './team.ts';

type Teams = ReadonlyMap<string, TeamRecord>;

/** How a team is reached, by its name: by the contacts of its own, or where it has none by its people; not at all where there is no such team. */
export function contactsOfTeam(teams: Teams, name: string): Contact[] {
  const team = teams.get(name);
  if (!team) return [];
  const own = contactsOf(team);
  return unique(own.length > 0 ? own : contactsOfPeople(team));
}

/** Everybody whom a team has: its contacts, and its people. */
export function everybodyIn(team: TeamRecord): Contact[] {
  return unique([...contactsOf(team), ...contactsOfPeople(team)]);
}

/** The team that is notified that it began. Better the wrong people than nobody: a team without contacts is none. */
export function openingTeam({ notifiedTeam }: Pick<Life, 'notifiedTeam'>, teams: Teams): string {
  return notifiedTeam && contactsOfTeam(teams, notifiedTeam).length > 0 ? notifiedTeam : operationsTeam;
}

/** Why a team reaches nobody. */
export function unreachable(teams: Teams, name: string): string {
  return teams.has(name) ? `The team ${name} has no contacts` : `There is no team ${name}`;
}

/** Each receiver once, whatever number of teams or entries names it. */
export function unique(contacts: readonly Contact[]): Contact[] {
  return [...new Map(contacts.toReversed().map((contact) => [contactKey(contact), contact])).values()].toReversed();
}
