import { holdOn } from '../../domain/change/steps.ts';
import { groupKind } from '../../domain/device/places.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import { joinWords, memberAction } from '../../domain/incident/member-action.ts';
import { judge, type Together } from '../../domain/outage/look.ts';
import { keysOfPlace } from '../../domain/outage/places.ts';
import { loneOf, type OutageScope } from '../../domain/outage/scopes.ts';
import type { SightRecord } from '../../domain/sight/sight.ts';
import type { Instant } from '../../domain/time.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { memberActionWrites } from '../incidents/members.ts';
import { setMembership } from '../incidents/membership.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { followOutage } from './follow.ts';
import { countPlaces, filtersAt, loadOutages, loadUnjudged, lossOf, mostLosses } from './load.ts';
import { type OutageLook, openTogether } from './open.ts';

/** Losses that stood alone and that one outage takes in when it is found. */
const mostAdopted = 400;

/** Outages that each look follows, however little time is left. */
const leastFollowed = 400;

type SightOfLook = Pick<SightRecord, 'horizonAt' | 'state' | 'incidentId' | 'restored'>;

const alone = 'It belongs to no outage';

/** What one look has done so far: what failed, and the outages that losses join by a job because there are too many. */
type LookRun = { faults: unknown[]; joining: Set<string> };

/**
 * The only place where outages are found: judges the losses that no look has judged yet, up to the horizon, and follows the outages that are open. A
 * quiet minute costs two queries.
 * @returns how many losses were judged
 */
export async function lookAtOutages(
  world: World,
  { horizonAt: horizon, state, incidentId, restored }: SightOfLook,
  until: Instant,
): Promise<number> {
  // What a restored database calls dark may be back: first what waited arrives.
  if (restored && world.now() < restored.quietUntil) return 0;
  if (state === 'blind') return joinBlindness(world, incidentId);
  const outages = await loadOutages(world, world.now());
  const run: LookRun = { faults: [], joining: new Set() };
  let judged = 0;
  let after: string | null = null;
  // The first page is always judged, however much of the time the parts before it took.
  for (let isMore = true; isMore && (after === null || world.now() <= until); ) {
    const losses: Stored<'alerts'>[] = await loadUnjudged(world, after);
    isMore = losses.length === mostLosses;
    const isFlood = isMore || after !== null;
    judged += losses.length === 0 ? 0 : await judgeLosses(world, losses, { horizon, isFlood }, run);
    after = losses.at(-1)?.id ?? null;
  }
  const open = outages.filter(({ endedAt }) => endedAt === null).toSorted(byLastLook);
  if (open.length > 0) await followAll(world, open, { horizon, until }, run);
  if (run.faults.length > 0) throw run.faults[0];
  return judged;
}

/** Follows the open outages. If there is no time for all, those that were looked at least recently come first. */
async function followAll(
  world: World,
  open: readonly IncidentRecord[],
  { horizon, until }: { horizon: Instant; until: Instant },
  { faults }: LookRun,
): Promise<void> {
  const look = { horizon, configuration: await loadConfiguration(world) };
  await sideBySide([...open.entries()], async ([index, { incidentId }]) => {
    if (index >= leastFollowed && world.now() > until) return;
    try {
      await followOutage(world, incidentId, look);
    } catch (error) {
      world.log.error('incident.failed', { incidentId, error: String(error) });
      faults.push(error);
    }
  });
}

function byLastLook(a: IncidentRecord, b: IncidentRecord): number {
  const [one, other] = [a, b].map(({ outage, incidentId }) => `${outage?.lookedAt} ${incidentId}`) as [string, string];
  return one < other ? -1 : 1;
}

/** While the platform is blind, its incident tells of what is declared lost. When it sees again, the losses are judged. */
async function joinBlindness(world: World, incidentId: string | null): Promise<number> {
  const [stored = null] = incidentId === null ? [] : await world.store.get('incidents', [incidentId]);
  const losses = stored?.data.endedAt === null ? await loadUnjudged(world) : [];
  const ids = losses.map(({ id }) => id);
  if (stored) await setMembership(world, ids, stored.data, 'Watchpost is blind');
  return ids.length;
}

async function judgeLosses(
  world: World,
  stored: readonly Stored<'alerts'>[],
  { horizon, isFlood }: { horizon: Instant; isFlood: boolean },
  run: LookRun,
): Promise<number> {
  const configuration = await loadConfiguration(world);
  const look: OutageLook = { horizon, configuration };
  const now = world.now();
  const isAlone = ({ data }: Stored<'alerts'>) => !data.isOpen || holdOn(data, configuration, now) !== null;
  const losses = stored.filter((each) => !isAlone(each)).map(lossOf);
  const hasWindows = configuration.windows.length > 0;
  const counts = await countPlaces(world, losses, { horizon, hasWindows });
  const outages = await loadOutages(world, now);
  const judgement = judge(losses, counts, outages, now, world.waits);
  const rest = [...judgement.alone.map(({ alertId }) => alertId), ...stored.filter(isAlone).map(({ id }) => id)];
  let left = judgement.waiting.length;
  for (const together of judgement.together) {
    try {
      const opened = isFound(together) ? await openTogether(world, together, counts, look) : null;
      const incident = opened ?? together.joins;
      if (!incident) continue;
      rest.push(...unheardOf(together, incident));
      const taken = opened ? await takenIn(world, opened, together.parts) : [];
      await (isFlood ? joinByJob(world, incident, taken, run) : joinAll(world, incident, together, taken));
    } catch (error) {
      // One outage that cannot be written must not silence the others. What it did not reach is not judged, and the next look tries again.
      world.log.error('incident.failed', { place: together.scope?.counted.place.id ?? null, error: String(error) });
      run.faults.push(error);
      left += together.losses.length;
    }
  }
  await setMembership(world, rest, null, alone, loneOf(judgement.alone, counts));
  return stored.length - left;
}

/** Losses of groups that share the place only since the outage was found: nobody there hears of it. */
function unheardOf({ losses }: Together, { groups }: IncidentRecord): string[] {
  return losses.flatMap(({ alertId, groupId }) => (groups.includes(groupId) ? [] : [alertId]));
}

async function joinAll(
  world: World,
  incident: IncidentRecord,
  { losses }: Together,
  taken: readonly string[],
): Promise<void> {
  const own = losses.flatMap(({ alertId, groupId }) => (incident.groups.includes(groupId) ? [alertId] : []));
  await setMembership(world, [...new Set([...own, ...taken])], incident, joinWords(incident));
}

/** Lets a job join all losses at the place of an outage that no look has judged, and what the outage takes in. */
async function joinByJob(
  world: World,
  incident: IncidentRecord,
  taken: readonly string[],
  run: LookRun,
): Promise<void> {
  const { scope, groups, incidentId } = incident;
  if (!run.joining.has(incidentId)) {
    const places = scope.kind === groupKind ? null : keysOfPlace({ ...scope, groups });
    const now = world.now();
    const action = memberAction(incident, { kind: 'join', groups, places }, now);
    const ordered = memberActionWrites({ ...action, actionId: `${action.actionId}-${now}` });
    await decideAndCommit(world, async () => ({ ...ordered, answer: undefined }));
    run.joining.add(incidentId);
  }
  await setMembership(world, taken, incident, joinWords(incident));
}

function isFound(together: Together): together is Together & { scope: OutageScope } {
  return together.scope !== null;
}

/** Losses that a new outage takes in: those of narrower ones, and those that stood alone. */
async function takenIn(world: World, opened: IncidentRecord, parts: Together['parts']): Promise<string[]> {
  return (await Promise.all([standingAlone(world, opened), membersOf(world, parts)])).flat();
}

/** Lost cameras of outages that have become part of a wider one. Those that this look does not reach are released and judged by the next. */
async function membersOf({ store }: World, parts: Together['parts']): Promise<string[]> {
  if (parts.length === 0) return [];
  const where: Filter<'alerts'>[] = [
    { field: 'incidentId', is: 'in', value: parts.map(({ incidentId }) => incidentId) },
    { field: 'isOpen', is: '==', value: true },
  ];
  return (await store.find({ in: 'alerts', where, limit: mostLosses })).map(({ id }) => id);
}

/** Losses at the place of a new outage that stood alone before. */
async function standingAlone(
  { store }: World,
  { scope, groups, outage }: NonNullable<Together['joins']>,
): Promise<string[]> {
  const found = await Promise.all(
    filtersAt<'alerts'>({ kind: scope.kind, id: scope.id, groups }).map((at) => {
      const lost: Filter<'alerts'>[] = [
        { field: 'code', is: '==', value: 'CONN_001' },
        { field: 'isOpen', is: '==', value: true },
        { field: 'isMember', is: '==', value: false },
      ];
      return store.find({ in: 'alerts', where: [at, ...lost], limit: mostAdopted });
    }),
  );
  const from = outage?.from ?? '';
  return found
    .flat()
    .flatMap(({ id, data }) => ((data.lostAt ?? data.timestamp) > from && !data.isMaintained ? [id] : []));
}
