import type { Life } from '../alert/alert.ts';
import { operationsTeam } from '../settings/settings.ts';
import { type Contact, contactKey, contactsOf, type TeamRecord } from './team.ts';

type Teams = ReadonlyMap<string, TeamRecord>;

/** The contacts of a team by its name; none where there is no such team. */
export function contactsOfTeam(teams: Teams, name: string): Contact[] {
  const team = teams.get(name);
  return team ? unique(contactsOf(team)) : [];
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
