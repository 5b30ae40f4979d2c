import { memberActor } from '../../domain/alert/resumed.ts';
import { decideAction } from '../../domain/change/decide.ts';
import { holdOn } from '../../domain/change/steps.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import {
  joinWords,
  type MemberAction,
  type MemberChange,
  membersOfStep,
  stillHolds,
} from '../../domain/incident/member-action.ts';
import { decided, nothingRead } from '../change/written.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import type { Filter, Stored, Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { setMembership } from './membership.ts';

const nothing = { writes: [], wakes: [], answer: undefined };

/** An action on the members of an incident, as a write of the commit that causes it. */
export function memberActionWrites(action: MemberAction): { writes: Write[]; wakes: Wake[] } {
  const { actionId: id, version, dueAt } = action;
  return {
    writes: [{ kind: 'create', in: 'memberActions', id, data: action }],
    wakes: [{ in: 'memberActions', id, version, dueAt }],
  };
}

/** Applies an incident's action to the next members. Idempotent, and can be interrupted. The answer says whether there are more. */
export async function decideMemberAction(world: World, stored: Stored<'memberActions'>): Promise<Decided<boolean>> {
  const { id, data, revision } = stored;
  const { incidentId, change, after } = data;
  const done: Write = { kind: 'delete', in: 'memberActions', id, revision };
  const [incident = null] = await world.store.get('incidents', [incidentId]);
  if (!incident || !stillHolds(incident.data, change)) return { writes: [done], wakes: [], answer: false };
  if (change.kind === 'join') return joinMembers(world, stored, incident.data, change);
  const isOpen: Filter<'alerts'>[] = change.kind === 'reopen' ? [] : [{ field: 'isOpen', is: '==', value: true }];
  const members = await world.store.find({
    in: 'alerts',
    where: [{ field: 'incidentId', is: '==', value: incidentId }, ...isOpen],
    limit: membersOfStep,
    ...(after === null ? {} : { after: [after] }),
  });
  const next = goingOn(members, stored);
  if (change.kind === 'release') {
    // The next look joins each to another outage or lets it stand alone. A member that is over is judged there too, and nothing follows.
    const marks = members.map(
      (member): Write => ({ kind: 'patch', in: 'alerts', id: member.id, set: { isJudged: false } }),
    );
    return { ...next, writes: [...marks, ...next.writes] };
  }
  await sideBySide(members, (member) => changeMember(world, member.id, incident.data, change));
  return next;
}

/** Joins the next losses at the places of an outage that no look has judged. What a window silences, or is over, waits for the look. */
async function joinMembers(
  world: World,
  stored: Stored<'memberActions'>,
  incident: IncidentRecord,
  { groups, places }: Extract<MemberChange, { kind: 'join' }>,
): Promise<Decided<boolean>> {
  const { after } = stored.data;
  const found = await world.store.find({
    in: 'alerts',
    where: [
      { field: 'isJudged', is: '==', value: false },
      places
        ? { field: 'places', is: 'array-contains-any', value: places }
        : { field: 'groupId', is: 'in', value: groups },
    ],
    limit: membersOfStep,
    ...(after === null ? {} : { after: [after] }),
  });
  const configuration = await loadConfiguration(world);
  const isTheirs = ({ data }: Stored<'alerts'>) =>
    data.isOpen && groups.includes(data.groupId) && holdOn(data, configuration, world.now()) === null;
  const ids = found.filter(isTheirs).map(({ id }) => id);
  await setMembership(world, ids, incident, joinWords(incident));
  return goingOn(found, stored);
}

/** The action after these members: done, or to be continued after the last of them. */
function goingOn(
  members: readonly Stored<'alerts'>[],
  { id, data, revision }: Stored<'memberActions'>,
): Decided<boolean> {
  const last = members.at(-1);
  if (members.length < membersOfStep || !last) {
    return { writes: [{ kind: 'delete', in: 'memberActions', id, revision }], wakes: [], answer: false };
  }
  const rest = { ...data, after: last.id, steps: data.steps + 1, version: data.version + 1 };
  return { writes: [{ kind: 'replace', in: 'memberActions', id, data: rest, revision }], wakes: [], answer: true };
}

async function changeMember(
  world: World,
  alertId: string,
  incident: IncidentRecord,
  change: Exclude<MemberChange, { kind: 'release' | 'join' }>,
): Promise<void> {
  const { kind } = change;
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('alerts', [alertId]);
    if (!stored || stored.data.incidentId !== incident.incidentId) return nothing;
    const { resolution, deviceId } = stored.data;
    const [device = null] = await world.store.get('devices', [deviceId]);
    // A member that ended by itself, or whose device is online again, was not resolved by the incident, so it is not reopened with it.
    if (kind === 'reopen' && (resolution !== 'manual' || !device || device.data.isOnline)) return nothing;
    const held = kind === 'acknowledge' || kind === 'unacknowledge' ? null : device;
    const read = { ...nothingRead, device: held, alerts: new Map([[alertId, stored]]) };
    const outcome = await decided(world, read, world.now(), (known, given) =>
      decideAction(stored.data, change, memberActor(incident.incidentId), { ...known, incident }, given),
    );
    return outcome.kind === 'change' ? { ...nothing, writes: outcome.writes, wakes: outcome.wakes } : nothing;
  });
}
