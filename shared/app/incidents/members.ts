import { memberActor } from '../../domain/alert/resumed.ts';
import { decideAction } from '../../domain/change/decide.ts';
import { decideMembership } from '../../domain/change/member-decision.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import {
  type MemberAction,
  type MemberChange,
  membersOfStep,
  stillHolds,
} from '../../domain/incident/member-action.ts';
import type { OpenIncident } from '../../domain/incident/standing.ts';
import { latest } from '../../domain/time.ts';
import { decided, nothingRead } from '../change/written.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { standingOf } from '../outages/standing.ts';
import type { Filter, Stored, Wake, World, Write } from '../ports.ts';
import { loadHorizon } from '../sight/sight.ts';

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
export async function decideMemberAction(
  world: World,
  { id, data, revision }: Stored<'memberActions'>,
): Promise<Decided<boolean>> {
  const { incidentId, change, after, steps, version } = data;
  const done: Write = { kind: 'delete', in: 'memberActions', id, revision };
  const [incident = null] = await world.store.get('incidents', [incidentId]);
  if (!incident || !stillHolds(incident.data, change)) return { writes: [done], wakes: [], answer: false };
  const isOpen: Filter<'alerts'>[] = change.kind === 'reopen' ? [] : [{ field: 'isOpen', is: '==', value: true }];
  const members = await world.store.find({
    in: 'alerts',
    where: [{ field: 'incidentId', is: '==', value: incidentId }, ...isOpen],
    limit: membersOfStep,
    ...(after === null ? {} : { after: [after] }),
  });
  await sideBySide(members, (member) => changeMember(world, member.id, incident.data, change));
  const last = members.at(-1);
  if (members.length < membersOfStep || !last) return { writes: [done], wakes: [], answer: false };
  const rest = { ...data, after: last.id, steps: steps + 1, version: version + 1 };
  return { writes: [{ kind: 'replace', in: 'memberActions', id, data: rest, revision }], wakes: [], answer: true };
}

async function changeMember(
  world: World,
  alertId: string,
  incident: IncidentRecord,
  change: MemberChange,
): Promise<void> {
  if (change.kind === 'release') return releaseMember(world, alertId, incident);
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

/**
 * The incident is over: a loss that continues joins the wider incident or another open one at the places of its device, or people are
 * notified of it by itself.
 */
async function releaseMember(
  world: World,
  alertId: string,
  { incidentId, joinedTo, title }: IncidentRecord,
): Promise<void> {
  const [stored = null] = await world.store.get('alerts', [alertId]);
  if (!stored?.data.isMember || stored.data.incidentId !== incidentId) return;
  const [wider = null] = joinedTo === null ? [] : await world.store.get('incidents', [joinedTo]);
  const incident = wider?.data.endedAt === null ? wider.data : await incidentOf(world, stored.data.deviceId);
  const isOther = incident !== null && incident.incidentId !== incidentId;
  await setMembership(world, alertId, isOther ? incident : null, `It is over: ${title}`);
}

/** The incident that is open at the places of a device, given what can be seen now. */
export async function incidentOf(world: World, deviceId: string): Promise<OpenIncident | null> {
  const [[device = null], horizon] = await Promise.all([world.store.get('devices', [deviceId]), loadHorizon(world)]);
  if (!device) return null;
  const horizonAt = latest(device.data.horizonAt, horizon);
  return (await standingOf(world, { ...device.data, horizonAt })).incident;
}

/** Makes a loss a member of an incident, or of none. */
export async function setMembership(
  world: World,
  alertId: string,
  incident: OpenIncident | null,
  why: string,
): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('alerts', [alertId]);
    if (!stored) return nothing;
    const read = { ...nothingRead, alerts: new Map([[alertId, stored]]) };
    const outcome = await decided(world, read, world.now(), (known, given) =>
      decideMembership(stored.data, incident, why, known, given),
    );
    return outcome.kind === 'change' ? { ...nothing, writes: outcome.writes, wakes: outcome.wakes } : nothing;
  });
}
