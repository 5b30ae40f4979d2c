import type { Position } from '../commit-order.ts';
import type { Placed, Timer, World } from '../ports.ts';

/** The kinds of entries that become changes: trails of alerts and incidents, and the activity of devices. */
const watchedKinds = ['audit', 'incidentAudit', 'activity'] as const;
type Watched = (typeof watchedKinds)[number];
export type Entries = { [K in Watched]: Placed<K>[] };

/** Entries of a kind per query. If there are more, further queries follow at once, so entries are not kept in memory. */
export const mostAtOnce = 500;

type Given = {
  /** The polling interval, milliseconds. */
  everyMs: number;
  /** Receives entries soon after their commit, each once. Entries of one call are in order. */
  take: (entries: Entries) => Promise<void>;
};

/**
 * Follows commits from now on, with one cursor per kind that all listeners of a process share. An entry is passed on as soon as it is seen, even if
 * an earlier one may still appear. Until the cursor has passed it, its id is remembered, so that it is passed on only once.
 * `ready` is rejected if the store does not say where it is now: a later position would silently leave changes out.
 */
export function watchCommits(world: World, { everyMs, take }: Given): { ready: Promise<void>; stop(): void } {
  const { store, log } = world;
  const passed = new Set<string>();
  let timer: Timer | null = null;
  let isStopped = false;

  const lookAt = async <K extends Watched>(kind: K, after: Position) => {
    const tailed = await store.tail({ in: kind, after, limit: mostAtOnce });
    return { ...tailed, fresh: [...tailed.found, ...tailed.ahead].filter(({ id }) => !passed.has(id)) };
  };
  /** Passes on one page of each kind. @returns the positions after it, and whether there is more */
  const look = async (from: Record<Watched, Position>) => {
    const [audit, incidentAudit, activity] = await Promise.all([
      lookAt('audit', from.audit),
      lookAt('incidentAudit', from.incidentAudit),
      lookAt('activity', from.activity),
    ]);
    await take({ audit: audit.fresh, incidentAudit: incidentAudit.fresh, activity: activity.fresh });
    const all = [audit, incidentAudit, activity];
    for (const { found, ahead } of all) {
      for (const { id } of found) passed.delete(id);
      for (const { id } of ahead) passed.add(id);
    }
    const positions = { audit: audit.end, incidentAudit: incidentAudit.end, activity: activity.end };
    return { positions, isMore: all.some(({ found }) => found.length === mostAtOnce) };
  };
  const goOn = async (from: Record<Watched, Position>): Promise<void> => {
    let positions = from;
    try {
      for (let isMore = true; isMore && !isStopped; ) ({ positions, isMore } = await look(positions));
    } catch (error) {
      // The positions have moved only after success, so the same entries are read again.
      log.error('stream.failed', { error: String(error) });
    }
    if (!isStopped) timer = world.after(everyMs, () => void goOn(positions));
  };
  const begin = async (): Promise<Record<Watched, Position>> => {
    const [audit, incidentAudit, activity] = await Promise.all(
      watchedKinds.map(async (kind) => (await store.tail({ in: kind, after: null, limit: 1 })).end),
    );
    if (!audit || !incidentAudit || !activity) throw new Error('a kind of entries has no position');
    return { audit, incidentAudit, activity };
  };
  const ready = begin().then((from) => void goOn(from));
  return {
    ready,
    stop() {
      isStopped = true;
      timer?.stop();
    },
  };
}
