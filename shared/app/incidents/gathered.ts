import { openingOf } from '../../domain/change/incident-decision.ts';
import { newGathering } from '../../domain/incident/gathered.ts';
import type { GatheredKind, GatheringRecord, IncidentRecord } from '../../domain/incident/incident.ts';
import { isSame } from '../../domain/same.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import { put } from '../commit/put.ts';
import { givenAt, incidentFact } from '../outages/incident-written.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';

/** What was published from one horizon to the next. */
export type Span = { from: Instant; until: Instant };

/** How a sweep finds what cameras have in common, and looks at what it has found. Each of it costs the same in a fleet of any size. */
export type Gathering = {
  kind: GatheredKind;
  /** The keys of what began in a span, and up to when that is all. */
  begun(world: World, span: Span): Promise<{ keys: string[]; upTo: Instant }>;
  /** The incident of a key; null: it is not grave enough to be one. */
  opened(world: World, key: string, horizon: Instant): Promise<IncidentRecord | null>;
  /** The incident as it is now, and whether it is over. */
  looked(world: World, key: string, incident: IncidentRecord, span: Span): Promise<Looked>;
};

export type Looked = { incident: IncidentRecord; isOver: boolean };

/** Incidents of a kind that are open at a time, and that one sweep opens: the next, a minute later, goes on. */
const mostOpen = 100;
const mostOpened = 10;
/** What was looked at is noted at least this often, although nothing began. */
const notedEveryMs = 30 * 60_000;

/** Opens, looks at and ends the incidents of one kind, up to the horizon. */
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
  const work = { writes: [] as Write[], wakes: [] as Wake[] };
  const standing = await followed(world, gathering, before, span, work);
  const isOpen = new Set(standing.map(({ key }) => key));
  const candidates = keys.filter((key) => !isOpen.has(key));
  const opened = await openedNow(world, gathering, candidates, horizon, mostOpen - standing.length, work);
  const open = [...standing, ...opened.open];
  const after = { ...before, open, upTo: opened.isAll ? upTo : before.upTo };
  const isWorthNoting = keys.length > 0 || !isSame(open, before.open) || msBetween(before.upTo, upTo) >= notedEveryMs;
  if (stored === null || isWorthNoting) work.writes.push(put('platform', kind, after, stored));
  return { ...work, answer: undefined };
}

function isGathering(stored: Stored<'platform'> | null): stored is Stored<'platform'> & { data: GatheringRecord } {
  return stored?.data.kind === 'gathering';
}

type Work = { writes: Write[]; wakes: Wake[] };

/** Looks at those that are open. @returns those that stay so */
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
  const { writes, wakes } = incidentFact(world, incident, stored, change, configuration, now);
  // Where a person has resolved it before, it ends without another word.
  return { writes: writes.length > 0 ? writes : [put('incidents', stored.id, incident, stored)], wakes };
}

/** Opens what is grave enough. `isAll`: nothing was left to the next sweep. */
async function openedNow(
  world: World,
  gathering: Gathering,
  keys: readonly string[],
  horizon: Instant,
  room: number,
  work: Work,
): Promise<Pick<GatheringRecord, 'open'> & { isAll: boolean }> {
  const open: GatheringRecord['open'] = [];
  const most = Math.min(room, mostOpened);
  const now = world.now();
  for (const key of keys) {
    const incident = await gathering.opened(world, key, horizon);
    if (!incident) continue;
    if (open.length >= most) return { open, isAll: false };
    const configuration = await loadConfiguration(world);
    const change = openingOf(incident, configuration, givenAt(world, now));
    add(work, incidentFact(world, incident, null, change, configuration, now));
    open.push({ key, incidentId: incident.incidentId });
  }
  return { open, isAll: true };
}

function add(work: Work, { writes, wakes }: Work): void {
  work.writes.push(...writes);
  work.wakes.push(...wakes);
}
