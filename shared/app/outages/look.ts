import { holdOn } from '../../domain/change/steps.ts';
import { judge, type Together } from '../../domain/outage/look.ts';
import type { OutageScope } from '../../domain/outage/scopes.ts';
import type { SightRecord } from '../../domain/sight/sight.ts';
import type { Instant } from '../../domain/time.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { followOutage } from './follow.ts';
import { countPlaces, filtersAt, loadOutages, loadUnjudged, lossOf, mostLosses } from './load.ts';
import { setMembership } from './members.ts';
import { type OutageLook, openTogether } from './open.ts';

/** Losses that stood alone and that one outage takes in when it is found. */
const mostAdopted = 400;

const alone = 'It belongs to no outage';

/**
 * The only place where outages are found: judges the losses that no look has judged yet, up to the horizon, and follows the outages that are open. A
 * quiet minute costs two queries.
 * @returns how many losses were judged
 */
export async function lookAtOutages(
  world: World,
  { horizonAt: horizon, state, incidentId }: Pick<SightRecord, 'horizonAt' | 'state' | 'incidentId'>,
  until: Instant,
): Promise<number> {
  if (state === 'blind') return joinBlindness(world, incidentId);
  const outages = await loadOutages(world, world.now());
  let judged = 0;
  let after: string | null = null;
  for (let isMore = true; isMore && world.now() <= until; ) {
    const losses: Stored<'alerts'>[] = await loadUnjudged(world, after);
    judged += losses.length === 0 ? 0 : await judgeLosses(world, losses, horizon);
    isMore = losses.length === mostLosses;
    after = losses.at(-1)?.id ?? null;
  }
  const open = outages.filter(({ endedAt }) => endedAt === null);
  if (open.length === 0) return judged;
  const look = { horizon, configuration: await loadConfiguration(world) };
  for (const { incidentId: id } of open) {
    try {
      await followOutage(world, id, look);
    } catch (error) {
      world.log.error('incident.failed', { incidentId: id, error: String(error) });
    }
  }
  return judged;
}

/** While the platform is blind, its incident tells of what is declared lost. When it sees again, the losses are judged. */
async function joinBlindness(world: World, incidentId: string | null): Promise<number> {
  const [stored = null] = incidentId === null ? [] : await world.store.get('incidents', [incidentId]);
  const losses = stored?.data.endedAt === null ? await loadUnjudged(world) : [];
  const ids = losses.map(({ id }) => id);
  if (stored) await setMembership(world, ids, stored.data, 'Watchpost is blind');
  return ids.length;
}

async function judgeLosses(world: World, stored: readonly Stored<'alerts'>[], horizon: Instant): Promise<number> {
  const configuration = await loadConfiguration(world);
  const look: OutageLook = { horizon, configuration };
  const now = world.now();
  const isAlone = ({ data }: Stored<'alerts'>) => !data.isOpen || holdOn(data, configuration, now) !== null;
  const losses = stored.filter((each) => !isAlone(each)).map(lossOf);
  const hasWindows = configuration.windows.length > 0;
  const counts = await countPlaces(world, losses, { horizon, hasWindows });
  const outages = await loadOutages(world, now);
  const judgement = judge(losses, counts, outages, now, world.waits);
  const unheard: string[] = [];
  let left = judgement.waiting.length;
  for (const together of judgement.together) {
    try {
      const opened = isFound(together) ? await openTogether(world, together, counts, look) : null;
      const incident = opened ?? together.joins;
      if (!incident) continue;
      const taken = opened ? await Promise.all([standingAlone(world, opened), membersOf(world, together.parts)]) : [];
      // Groups that share the place only since it was found: nobody there hears of this outage.
      const [own, others] = [true, false].map((isOurs) =>
        together.losses.flatMap(({ alertId, groupId }) =>
          incident.groups.includes(groupId) === isOurs ? [alertId] : [],
        ),
      ) as [string[], string[]];
      unheard.push(...others);
      const ids = [...own, ...taken.flat()];
      await setMembership(world, [...new Set(ids)], incident, `It is part of: ${incident.title}`);
    } catch (error) {
      // One outage that cannot be written must not silence the others. What it did not reach is not judged, and the next look tries again.
      world.log.error('incident.failed', { place: together.scope?.counted.place.id ?? null, error: String(error) });
      left += together.losses.length;
    }
  }
  const rest = [
    ...judgement.alone.map(({ alertId }) => alertId),
    ...unheard,
    ...stored.filter(isAlone).map(({ id }) => id),
  ];
  await setMembership(world, rest, null, alone);
  return stored.length - left;
}

function isFound(together: Together): together is Together & { scope: OutageScope } {
  return together.scope !== null;
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
