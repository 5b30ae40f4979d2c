import type { AlertChange } from '../../domain/alert/change.ts';
import { decideIncident, type IncidentChange } from '../../domain/change/incident-decision.ts';
import { toWireIncident } from '../../domain/incident/incident.ts';
import { memberAction, memberChangeOf } from '../../domain/incident/member-action.ts';
import type { Instant } from '../../domain/time.ts';
import { undoUntilOf } from '../../domain/undo.ts';
import { type AlertCommand, changeOf, refusalOf } from '../alerts/actions.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit, requireVersion } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { requireMayWrite } from '../writes/may-write.ts';
import { givenAt, incidentWrites } from './incident-written.ts';
import { loadIncident, type VersionedIncident } from './incidents.ts';
import { memberActionWrites } from './members.ts';

/**
 * Performs a person's action, as for an alert. Where its result holds already, the incident does not change.
 * @throws AppError `not-found`; `limited-to-groups` where the bearer does not have all of its groups; `invalid-request` for a snooze without an end
 * or one that is too long; `invalid-transition` with the state and the possible actions; `precondition-failed`
 */
export async function actOnIncident(
  world: World,
  bearer: Bearer,
  incidentId: string,
  command: AlertCommand,
  ifVersion: number | null,
): Promise<VersionedIncident> {
  const configuration = await loadConfiguration(world);
  return decideAndCommit(world, async () => {
    const stored = await loadIncident(world, bearer, incidentId);
    const { data } = stored;
    requireMayWrite(bearer, 'incidents', data, data);
    requireVersion('incident', data.version, ifVersion);
    const now = world.now();
    const change = changeOf(command, now);
    const act = { change, who: bearer.subject };
    const outcome = decideIncident(data, act, configuration, givenAt(world, now));
    if (outcome.kind === 'refused') throw refusalOf('incident', change, outcome);
    const record = outcome.kind === 'change' ? outcome.incident : data;
    const { writes, wakes } = outcome.kind === 'change' ? withMembers(outcome, stored, change, now) : unchanged;
    const undo = record.undo?.action === change.kind ? undoUntilOf(record.undo, bearer.subject, now) : {};
    const incident = { ...toWireIncident(record, bearer.groups), ...undo };
    return { writes, wakes, answer: { incident, version: record.version } };
  });
}

const unchanged = { writes: [], wakes: [] };

/** Only the incident is in this commit. The action is applied to its members afterwards. */
function withMembers(outcome: IncidentChange, stored: Stored<'incidents'>, change: AlertChange, now: Instant) {
  const { writes, wakes } = incidentWrites(outcome, stored);
  const shared = memberChangeOf(change);
  if (!shared) return { writes, wakes };
  const members = memberActionWrites(memberAction(outcome.incident, shared, now));
  return { writes: [...writes, ...members.writes], wakes: [...wakes, ...members.wakes] };
}
