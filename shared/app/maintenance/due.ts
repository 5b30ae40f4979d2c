import { lookedAtWindow } from '../../domain/maintenance/window.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';

/** Alerts that one commit handles. */
const mostAtOnce = 200;

/**
 * A window has passed, or a person changed or ended it: makes each alert that it silences due now. Each alert then determines whether
 * another window silences it or whether people are notified. Idempotent. The answer says whether there are more.
 */
export async function decideWindowDue(
  world: World,
  stored: Stored<'windows'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const kept = await world.store.find({
    in: 'alerts',
    where: [
      { field: 'maintenance', is: '==', value: stored.id },
      { field: 'maintenanceUntil', is: '>', value: now },
    ],
    orderBy: [['maintenanceUntil', 'asc']],
    limit: mostAtOnce,
  });
  const released = kept.map(
    ({ id }): Write => ({ kind: 'patch', in: 'alerts', id, set: { maintenanceUntil: now, dueAt: now } }),
  );
  const isMore = kept.length === mostAtOnce;
  const { data, revision } = stored;
  const done = isMore ? [] : [lookedAt(stored.id, { ...data, ...lookedAtWindow(data, now) }, revision)];
  const next = isMore ? null : lookedAtWindow(data, now).dueAt;
  return {
    writes: [...released, ...done],
    wakes: next ? [{ in: 'windows', id: stored.id, version: data.version, dueAt: next }] : [],
    answer: isMore,
  };
}

function lookedAt(id: string, data: Stored<'windows'>['data'], revision: Stored<'windows'>['revision']): Write {
  return { kind: 'replace', in: 'windows', id, data, revision };
}
