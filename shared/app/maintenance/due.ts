import { lookedAtWindow } from '../../domain/maintenance/window.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';

/** Alerts, and incidents, that are looked at in one commit. */
const mostAtOnce = 200;

/**
 * A window has lasted, or a person has changed or ended it: each alert and incident that it keeps quiet comes due now, and finds by itself
 * whether another window holds, or whether it is told. Safe to repeat. The answer says whether there are more.
 */
export async function decideWindowDue(
  world: World,
  stored: Stored<'windows'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const kept = await Promise.all([keptBy(world, 'alerts', stored.id, now), keptBy(world, 'incidents', stored.id, now)]);
  const released = kept.flatMap((found) => found.writes);
  const isMore = kept.some((found) => found.isMore);
  const { data, revision } = stored;
  const done = isMore ? [] : [lookedAt(stored.id, { ...data, ...lookedAtWindow(data, now) }, revision)];
  const next = isMore ? null : lookedAtWindow(data, now).dueAt;
  return {
    writes: [...released, ...done],
    wakes: next ? [{ in: 'windows', id: stored.id, version: data.version, dueAt: next }] : [],
    answer: isMore,
  };
}

/** What a window keeps quiet of a kind, as writes by which it comes due. */
async function keptBy(
  { store }: World,
  kind: 'alerts' | 'incidents',
  windowId: string,
  now: Instant,
): Promise<{ writes: Write[]; isMore: boolean }> {
  const kept = await store.find<'alerts' | 'incidents'>({
    in: kind,
    where: [
      { field: 'maintenance', is: '==', value: windowId },
      { field: 'maintenanceUntil', is: '>', value: now },
    ],
    orderBy: [['maintenanceUntil', 'asc']],
    limit: mostAtOnce,
  });
  const set = { maintenanceUntil: now, dueAt: now };
  return {
    writes: kept.map(({ id }): Write => ({ kind: 'patch', in: kind, id, set })),
    isMore: kept.length === mostAtOnce,
  };
}

function lookedAt(id: string, data: Stored<'windows'>['data'], revision: Stored<'windows'>['revision']): Write {
  return { kind: 'replace', in: 'windows', id, data, revision };
}
