import { openingOf } from '../../domain/change/incident-decision.ts';
import { newGathering } from '../../domain/incident/gathered.ts';
import type { GatheredKind, GatheringRecord, IncidentRecord } from '../../domain/incident/incident.ts';
import { isSame } from '../../domain/same.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { type Decided, decideAndCommit, put } from '../commit/commit.ts';
import type { Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { givenAt, incidentFact, type Work } from './incident-written.ts';

/** What was published from one horizon to the next. */
export type Span = { from: Instant; until: Instant };

/** How a sweep finds cameras that share a cause, and follows the incidents that it opened. The cost does not depend on the size of the fleet. */
export type Gathering = {
  kind: GatheredKind;
  /** The keys of causes that began in a span, and the time up to which the search is complete. */
  begun(world: World, span: Span): Promise<{ keys: string[]; upTo: Instant }>;
  /** The incident of a key. Null: too few cameras are affected. */
  opened(world: World, key: string, horizon: Instant): Promise<IncidentRecord | null>;
  /** If more keys than this would have an open incident, one incident for the whole fleet is opened instead of further ones. */
  together?: { key: string; above: number };
  /** The incident in its present state, and whether it is over. */
  looked(world: World, key: string, incident: IncidentRecord, span: Span): Promise<Looked>;
};

export type Looked = { incident: IncidentRecord; isOver: boolean };

/** Open incidents of a kind, and incidents that one sweep opens. The next sweep, a minute later, continues. */
const mostOpen = 100;
const mostOpened = 10;
/** The search position is saved at least this often, even if nothing began. */
const notedEveryMs = 30 * 60_000;

/** Opens, updates and ends the incidents of one kind, up to the horizon. */
export async function gather(world: World, gathering: Gathering, horizon: Instant): Promise<void> {
  await decideAndCommit(world, () => decideGathering(world, gathering, horizon));
}

async function decideGathering(world: World, gathering: Gathering, horizon: Instant): Promise<Decided<undefined>> {
  const { kind, begun } = gathering;
  const [found = null] = await world.store.get('platform', [kind]);
  const stored = isGathering(found) ? found : null;
  const before = stored?.data ?? newGathering(kind, horizon, world.waits);
  if (horizon <= before.upTo) return { writes: [], wakes: [], answer: undefined };
  const span = { from: before.upTo, until: horizon };
  const { keys, upTo } = await begun(world, span);
  const work: Work = { writes: [], wakes: [] };
  const standing = await followed(world, gathering, before, span, work);
  const isOpen = new Set(standing.map(({ key }) => key));
  const candidates = keys.filter((key) => !isOpen.has(key));
  const opened = await openedNow(world, gathering, candidates, horizon, standing);
  add(work, opened);
  const open = [...standing, ...opened.open];
  const after = { ...before, open, upTo: opened.isAll ? upTo : before.upTo };
  const isWorthNoting = keys.length > 0 || !isSame(open, before.open) || msBetween(before.upTo, upTo) >= notedEveryMs;
  if (stored === null || isWorthNoting) work.writes.push(put('platform', kind, after, stored));
  return { ...work, answer: undefined };
}

function isGathering(stored: Stored<'platform'> | null): stored is Stored<'platform'> & { data: GatheringRecord } {
  return stored?.data.kind === 'gathering';
}

/**
 * Updates the open incidents.
 * @returns those that stay open
 */
async function followed(
  world: World,
  { looked }: Gathering,
  { open }: GatheringRecord,
  span: Span,
  work: Work,
): Promise<GatheringRecord['open']> {
  const found =
    open.length > 0
      ? await world.store.get(
          'incidents',
          open.map(({ incidentId }) => incidentId),
        )
      : [];
  const now = world.now();
  const standing: GatheringRecord['open'] = [];
  for (const [index, entry] of open.entries()) {
    const stored = found[index];
    if (!stored || stored.data.endedAt !== null) continue;
    const { incident, isOver } = await looked(world, entry.key, stored.data, span);
    if (!isOver) standing.push(entry);
    add(work, isOver ? await ended(world, incident, stored, now) : kept(incident, stored));
  }
  return standing;
}

function kept(incident: IncidentRecord, stored: Stored<'incidents'>): Work {
  const isKept = isSame(incident, stored.data);
  return { writes: isKept ? [] : [put('incidents', stored.id, incident, stored)], wakes: [] };
}

async function ended(world: World, incident: IncidentRecord, stored: Stored<'incidents'>, now: Instant): Promise<Work> {
  const configuration = await loadConfiguration(world);
  const change = { kind: 'end', resolution: 'automatic', why: incident.message } as const;
  const { writes, wakes } = incidentFact(world, { incident, stored, change, configuration, at: now });
  // If a person has already resolved it, its end causes no notification.
  return { writes: writes.length > 0 ? writes : [put('incidents', stored.id, incident, stored)], wakes };
}

type Opening = { key: string; incident: IncidentRecord };

/** Opens incidents for causes that affect enough cameras. `isAll`: nothing was left to the next sweep. */
async function openedNow(
  world: World,
  gathering: Gathering,
  keys: readonly string[],
  horizon: Instant,
  standing: GatheringRecord['open'],
): Promise<Work & Pick<GatheringRecord, 'open'> & { isAll: boolean }> {
  const { openings, isAll } = await openingsOf(world, gathering, keys, horizon, standing);
  const now = world.now();
  const work: Work = { writes: [], wakes: [] };
  for (const { incident } of openings) {
    const configuration = await loadConfiguration(world);
    const change = openingOf(incident, configuration, givenAt(world, now));
    add(work, incidentFact(world, { incident, stored: null, change, configuration, at: now }));
  }
  return { ...work, open: openings.map(({ key, incident: { incidentId } }) => ({ key, incidentId })), isAll };
}

/** The incidents to open: one per key, or one for all. */
async function openingsOf(
  world: World,
  { opened, together }: Gathering,
  keys: readonly string[],
  horizon: Instant,
  standing: GatheringRecord['open'],
): Promise<{ openings: Opening[]; isAll: boolean }> {
  const openings: Opening[] = [];
  if (together && standing.some(({ key }) => key === together.key)) return { openings, isAll: true };
  const most = Math.min(mostOpen - standing.length, mostOpened);
  for (const key of keys) {
    const incident = await opened(world, key, horizon);
    if (!incident) continue;
    if (together && standing.length + openings.length >= together.above) {
      const all = await opened(world, together.key, horizon);
      return { openings: all ? [{ key: together.key, incident: all }] : [], isAll: true };
    }
    if (openings.length >= most) return { openings, isAll: false };
    openings.push({ key, incident });
  }
  return { openings, isAll: true };
}

function add(work: Work, { writes, wakes }: Work): void {
  work.writes.push(...writes);
  work.wakes.push(...wakes);
}
