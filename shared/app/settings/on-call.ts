import type { TeamRecord } from '../../domain/notify/team.ts';
import { type DutyTurn, turnsAt, turnsBetween } from '../../domain/settings/on-call.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { notFound } from '../../errors.ts';
import type { OnCall } from '../../schema/settings/on-call.ts';
import { daysOfTurns } from '../../schema/vocabulary.ts';
import { askedInstant } from '../asked-time.ts';
import type { World } from '../ports.ts';
import { loadTeam } from './teams.ts';

/** Who is on call in a team, and who is next. @throws AppError `not-found`; `invalid-request` for a time outside the years 2000 to 2099 */
export async function getOnCall(world: World, name: string, { at }: { at?: string }): Promise<OnCall> {
  const { team } = await loadTeam(world, name);
  if (!team) throw notFound(`team ${name}`);
  const instant = at === undefined ? world.now() : askedInstant(at, '?at');
  return onCallIn(team, instant);
}

export function onCallIn(team: TeamRecord, at: Instant): OnCall {
  const rotations = (team.rotations ?? []).map((rotation) => {
    const { now, next } = turnsAt(rotation, at);
    const turns = turnsBetween(rotation, at, plus(at, daysOfTurns * 24 * 60 * 60_000));
    return {
      now: shownTurn(now, team),
      next: next && shownTurn(next, team),
      turns: turns.flatMap((turn) => shownTurn(turn, team) ?? []),
    };
  });
  return { team: team.name, at, rotations };
}

function shownTurn({ personId, from, to }: DutyTurn, { people = [] }: TeamRecord): OnCall['rotations'][number]['now'] {
  if (personId === null) return null;
  return { personId, name: people.find((each) => each.personId === personId)?.name ?? personId, from, to };
}
