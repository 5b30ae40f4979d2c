import { lookedAtWindow } from '../../domain/maintenance/window.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';

/** Alerts and incidents per commit. */
const mostAtOnce = 200;

/**
 * A window has ended, or a person changed or ended it: each alert and incident that it silences becomes due. Each then decides by itself whether
 * another window applies or people are notified. Idempotent. The answer says whether there are more.
 */
export async function handleWindowDue(
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

/** The writes that make the silenced records of one kind due. */
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
