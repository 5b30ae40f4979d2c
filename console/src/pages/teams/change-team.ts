import type { Handoff, HandoffDraft } from '../../../../shared/schema/settings/handoff.ts';
import type { Team, TeamContacts } from '../../../../shared/schema/settings/team.ts';
import { at, call } from '../../client/api.ts';

/** Changes a part of a team in its latest state, so that a colleague's changes are not overwritten. */
export async function changeTeam(name: string, change: (team: Team) => Partial<TeamContacts>): Promise<void> {
  const path = at('teams', name);
  const { data: team, etag } = await call<Team>('GET', path);
  const { name: _, changedAt: __, handoffs: ___, ...kept } = team;
  await call('PUT', path, { body: { ...kept, ...change(team) }, ifMatch: etag });
}

/** A hand-off as a request contains it. The service keeps its credential. */
export function draftOfHandoff({ hasCredential: _, ...handoff }: Handoff): HandoffDraft {
  return handoff;
}
